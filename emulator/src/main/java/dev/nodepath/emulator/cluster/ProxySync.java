package dev.nodepath.emulator.cluster;

import java.time.Instant;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What an agent's log says of a sync of its proxy.
 *
 * @param at when it was logged
 * @param ok whether the rules are in force
 * @param durationMs how long it took, in milliseconds
 * @param services how many Service ports it serves
 * @param changed how many of them it has changed
 * @param waitedMs how long the oldest of these changes had waited for it, in milliseconds; empty if nothing had changed
 * @param trigger the time of the change of endpoints that it answers; empty if it answers another
 */
public record ProxySync(
        Instant at,
        boolean ok,
        long durationMs,
        int services,
        int changed,
        Optional<Long> waitedMs,
        Optional<Instant> trigger) {
    private static final Pattern EVENT = Pattern.compile("\\bproxy\\.(synced|sync_failed)\\b");
    private static final Pattern DURATION = Pattern.compile("\\bduration_ms=(\\d+)");
    private static final Pattern SERVICES = Pattern.compile("\\bservices=(\\d+)");
    private static final Pattern CHANGED = Pattern.compile("\\bchanged=(\\d+)");
    private static final Pattern WAITED = Pattern.compile("\\bwaited_ms=(\\d+)");
    private static final Pattern TRIGGER = Pattern.compile("\\btrigger=(\\S+)");

    /** When the proxy was offered the first of the changes; empty if nothing had changed. */
    public Optional<Instant> offered() {
        return waitedMs.map(waited -> at.minusMillis(durationMs + waited));
    }

    /** Reads a line; empty if it is about something else. */
    static Optional<ProxySync> read(String line, Instant now) {
        return EVENT.matcher(line)
                .results()
                .findFirst()
                .map((MatchResult event) -> new ProxySync(
                        now,
                        event.group(1).equals("synced"),
                        number(DURATION, line),
                        (int) number(SERVICES, line),
                        (int) number(CHANGED, line),
                        first(WAITED, line).map(Long::parseLong),
                        first(TRIGGER, line).map(Instant::parse)));
    }

    private static long number(Pattern pattern, String line) {
        return first(pattern, line).map(Long::parseLong).orElse(0L);
    }

    private static Optional<String> first(Pattern pattern, String line) {
        return pattern.matcher(line).results().findFirst().map((MatchResult found) -> found.group(1));
    }
}
