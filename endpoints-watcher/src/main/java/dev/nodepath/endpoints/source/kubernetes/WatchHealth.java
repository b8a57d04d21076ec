package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.nodepath.endpoints.source.SourceStats;
import dev.nodepath.endpoints.source.kubernetes.client.ApiException;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Counts how one kind of objects is followed. Thread-safe. */
final class WatchHealth {
    private final String kind;
    private final Clock clock;
    private final Map<String, Long> errors = new TreeMap<>();
    private long lists;
    private long watches;
    private Optional<Instant> lastEvent = Optional.empty();
    private Optional<Instant> lastContact = Optional.empty();
    private Optional<String> forbidden = Optional.empty();

    WatchHealth(String kind, Clock clock) {
        this.kind = kind;
        this.clock = clock;
    }

    synchronized void listed() {
        lists++;
        heard();
    }

    synchronized void watching() {
        watches++;
        forbidden = Optional.empty();
        heard();
    }

    /** The server said something. */
    synchronized void heard() {
        lastContact = Optional.of(clock.instant());
    }

    /** The server said that an object is new, changed or gone. */
    synchronized void event() {
        heard();
        lastEvent = lastContact;
    }

    synchronized void failed(Exception e) {
        errors.merge(name(e), 1L, Long::sum);
    }

    /** The server does not let us, as this says; whether that is news. Of lists and watches in turn the first is told. */
    synchronized boolean forbidden(String problem) {
        boolean news = forbidden.isEmpty();
        if (news) {
            forbidden = Optional.of(problem);
        }
        return news;
    }

    synchronized SourceStats.Watch stats() {
        return new SourceStats.Watch(kind, lists, watches, lastEvent, lastContact, errors, forbidden);
    }

    /** Few names, whatever a server may answer: they become labels of a metric. */
    private static String name(Exception e) {
        if (e instanceof ApiException answer) {
            return answer.code() >= 400 && answer.code() <= 599 ? Integer.toString(answer.code()) : "unreadable";
        }
        return e instanceof JsonProcessingException || e instanceof RuntimeException ? "unreadable" : "network";
    }
}
