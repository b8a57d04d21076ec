package dev.nodepath.emulator.compare;

import dev.nodepath.emulator.traffic.BulkLoad;
import dev.nodepath.emulator.traffic.HttpLoad;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Measures one path: requests over kept-alive connections, new connections, and one bulk stream. */
final class LoadMeasurement {
    /** The rounds of a mode and the direct path; a share is their median. */
    static final int ROUNDS = 5;

    /** Kept-alive connections, new ones, and bulk. */
    private static final int KINDS = 3;

    private static final int KEPT_ALIVE_CONNECTIONS = 32;
    private static final int NEW_CONNECTIONS_AT_ONCE = 16;
    /** The length of the warm-up before each measurement, as a fraction of the measurement. */
    private static final int WARM_UP_DIVISOR = 5;

    private static final Duration WARM_UP_EACH = Duration.ofMillis(200);
    private static final int WARM_UPS_MAX = 5;
    /** The warm-up ends when two rates differ by less than this fraction. */
    private static final double SETTLED = 0.1;

    private final Targets targets;
    private final Duration length;
    private final Checks checks;

    LoadMeasurement(Targets targets, Duration length, Checks checks) {
        this.targets = targets;
        this.length = length;
        this.checks = checks;
    }

    /** The length of each measurement. */
    Duration length() {
        return length;
    }

    /** How long {@link #besideDirect} takes with measurements of this length. */
    static Duration besideDirectTakes(Duration length) {
        return length.plus(length.dividedBy(WARM_UP_DIVISOR)).multipliedBy(2L * ROUNDS * KINDS);
    }

    /** One measurement of a rate. */
    private interface Rate {
        double measure() throws IOException;
    }

    /** Runs each kind of load until its rate settles, with compiled code and filled caches. */
    void warmUp(Mode mode, Caller caller, String service) throws IOException {
        settle(() -> http(mode, caller, service, true, WARM_UP_EACH).perSecond());
        settle(() -> http(mode, caller, service, false, WARM_UP_EACH).perSecond());
        settle(() -> bulk(mode, caller, service, WARM_UP_EACH).gigabitsPerSecond());
    }

    private static void settle(Rate rate) throws IOException {
        double before = 0;
        for (int i = 0; i < WARM_UPS_MAX; i++) {
            double now = rate.measure();
            if (Math.abs(now - before) < SETTLED * before) {
                return;
            }
            before = now;
        }
    }

    /**
     * Measures a mode and the direct path in turns, A B, B A, A B and so on: both meet the same load of the machine,
     * and neither is always second.
     *
     * @param firstRound number of the first of {@value #ROUNDS} rounds
     */
    List<Measurement> besideDirect(Mode mode, Caller caller, String service, int firstRound) throws IOException {
        Tally direct = new Tally(Mode.DIRECT, caller.path() + ", beside " + mode);
        Tally own = new Tally(mode, caller.path());
        List<Measurement> measurements = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            for (Tally tally : i % 2 == 0 ? List.of(direct, own) : List.of(own, direct)) {
                measurements.add(once(tally, caller, service, firstRound + i));
            }
        }
        direct.judge();
        own.judge();
        return measurements;
    }

    private Measurement once(Tally tally, Caller caller, String service, int round) throws IOException {
        Duration warmUp = length.dividedBy(WARM_UP_DIVISOR);
        http(tally.mode, caller, service, true, warmUp);
        HttpLoad.Result keptAlive = http(tally.mode, caller, service, true, length);
        http(tally.mode, caller, service, false, warmUp);
        HttpLoad.Result opened = http(tally.mode, caller, service, false, length);
        tally.add(keptAlive);
        tally.add(opened);
        return Measurement.of(
                tally.mode.toString(),
                caller.path(),
                round,
                keptAlive,
                opened,
                gigabitsPerSecond(tally, caller, service));
    }

    private HttpLoad.Result http(Mode mode, Caller caller, String service, boolean keepAlive, Duration length)
            throws IOException {
        List<InetSocketAddress> addresses = targets.of(mode, caller, service, "http");
        int connections = keepAlive ? KEPT_ALIVE_CONNECTIONS : NEW_CONNECTIONS_AT_ONCE;
        HttpLoad load = new HttpLoad(addresses, connections, keepAlive);
        return caller.namespace().call(() -> load.run(length));
    }

    private double gigabitsPerSecond(Tally tally, Caller caller, String service) {
        try {
            BulkLoad.Result result = bulk(tally.mode, caller, service, length);
            tally.bulkBytes += result.bytes();
            return result.gigabitsPerSecond();
        } catch (IOException e) {
            tally.bulkError = String.valueOf(e.getMessage());
            return Double.NaN;
        }
    }

    private BulkLoad.Result bulk(Mode mode, Caller caller, String service, Duration length) throws IOException {
        InetSocketAddress target = targets.of(mode, caller, service, "bulk").get(0);
        return caller.namespace().call(() -> BulkLoad.run(target, length));
    }

    /** The results of all rounds on one path. */
    private final class Tally {
        private final Mode mode;
        private final String way;
        private int loads;
        private int failedLoads;
        private long answered;
        private long failed;
        private String firstError = "";
        private long bulkBytes;
        private String bulkError = "";

        Tally(Mode mode, String way) {
            this.mode = mode;
            this.way = way;
        }

        void add(HttpLoad.Result result) {
            loads++;
            failedLoads += Measurement.succeeded(result) ? 0 : 1;
            answered += result.requests();
            failed += result.errors();
            firstError = firstError.isEmpty() ? result.firstError() : firstError;
        }

        void judge() {
            checks.expect(
                    mode,
                    way + ": no request of the load fails",
                    failedLoads == 0,
                    failed + " failed, " + answered + " answered"
                            + (failedLoads == 0
                                    ? ""
                                    : "; " + failedLoads + " of " + loads + " loads left out of the figures")
                            + (failed == 0 ? "" : ": " + firstError));
            checks.expect(
                    mode,
                    way + ": every byte of a bulk stream arrives, and its end",
                    bulkError.isEmpty(),
                    bulkError.isEmpty() ? bulkBytes + " bytes" : bulkError);
        }
    }
}
