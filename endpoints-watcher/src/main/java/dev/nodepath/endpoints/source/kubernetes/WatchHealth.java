package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.nodepath.endpoints.source.SourceStats;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The counters of the watch of one kind. Thread-safe. */
final class WatchHealth {
    private final String kind;
    private final InstantSource clock;
    private final Map<String, Long> errors = new TreeMap<>();
    private long lists;
    private long watches;
    private Optional<Instant> lastEvent = Optional.empty();
    private Optional<Instant> lastContact = Optional.empty();
    private Optional<String> forbidden = Optional.empty();

    WatchHealth(String kind, InstantSource clock) {
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

    /** The server has sent something. */
    synchronized void heard() {
        lastContact = Optional.of(clock.instant());
    }

    /** The server has reported a new, changed or deleted object. */
    synchronized void event() {
        heard();
        lastEvent = lastContact;
    }

    synchronized void failed(Exception e) {
        errors.merge(name(e), 1L, Long::sum);
    }

    /**
     * The server forbids a request. Returns whether this is new. Only the first of a list and a watch in turn is new.
     */
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

    /** The name of an error. It is a label of a metric, so the number of names is bounded. */
    private static String name(Exception e) {
        if (e instanceof ApiException answer) {
            return answer.code() >= 400 && answer.code() <= 599 ? Integer.toString(answer.code()) : "unreadable";
        }
        return e instanceof JsonProcessingException || e instanceof RuntimeException ? "unreadable" : "network";
    }
}
