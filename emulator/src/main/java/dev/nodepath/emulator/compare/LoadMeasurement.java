package dev.nodepath.emulator.compare;

import dev.nodepath.emulator.traffic.BulkLoad;
import dev.nodepath.emulator.traffic.HttpLoad;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** Measures one path in one mode: requests over kept-alive connections, new connections, and one bulk stream. */
final class LoadMeasurement {
    private static final int KEPT_ALIVE_CONNECTIONS = 32;
    private static final int NEW_CONNECTIONS_AT_ONCE = 16;
    /** Part of each measurement's length that is run before it and thrown away. */
    private static final int WARM_UP_DIVISOR = 5;

    private final Targets targets;
    private final Duration length;
    private final Checks checks;

    LoadMeasurement(Targets targets, Duration length, Checks checks) {
        this.targets = targets;
        this.length = length;
        this.checks = checks;
    }

    /** Runs everything once without measuring, so that compilers and caches have seen it. */
    void warmUp(Mode mode, Vantage vantage, String service, Duration each) throws IOException {
        http(mode, vantage, service, true, each);
        http(mode, vantage, service, false, each);
        bulk(mode, vantage, service, each);
    }

    Measurement run(Mode mode, Vantage vantage, String service, ReachabilityCheck.Seen seen) throws IOException {
        Duration warmUp = length.dividedBy(WARM_UP_DIVISOR);
        http(mode, vantage, service, true, warmUp);
        HttpLoad.Result keptAlive = http(mode, vantage, service, true, length);
        http(mode, vantage, service, false, warmUp);
        HttpLoad.Result opened = http(mode, vantage, service, false, length);
        BulkLoad.Result bulk = checkedBulk(mode, vantage, service);
        long errors = keptAlive.errors() + opened.errors();
        checks.expect(
                mode,
                vantage.path() + ": no request of the load fails",
                errors == 0 && keptAlive.requests() > 0 && opened.requests() > 0,
                errors + " failed, " + (keptAlive.requests() + opened.requests()) + " answered"
                        + (errors == 0 ? "" : ": " + keptAlive.firstError() + " " + opened.firstError()));
        return new Measurement(
                mode.toString(),
                vantage.path(),
                seen.answers(),
                seen.sources(),
                keptAlive.perSecond(),
                keptAlive.latencyMicros(50),
                keptAlive.latencyMicros(99),
                opened.perSecond(),
                bulk.gigabitsPerSecond(),
                errors);
    }

    private HttpLoad.Result http(Mode mode, Vantage vantage, String service, boolean keepAlive, Duration length)
            throws IOException {
        List<InetSocketAddress> addresses = targets.of(mode, vantage, service, "http");
        int connections = keepAlive ? KEPT_ALIVE_CONNECTIONS : NEW_CONNECTIONS_AT_ONCE;
        HttpLoad load = new HttpLoad(addresses, connections, keepAlive);
        return vantage.namespace().call(() -> load.run(length));
    }

    private BulkLoad.Result checkedBulk(Mode mode, Vantage vantage, String service) {
        String expectation = vantage.path() + ": every byte of a bulk stream arrives, and its end";
        try {
            BulkLoad.Result result = bulk(mode, vantage, service, length);
            checks.expect(mode, expectation, true, result.bytes() + " bytes");
            return result;
        } catch (IOException e) {
            checks.expect(mode, expectation, false, String.valueOf(e.getMessage()));
            return new BulkLoad.Result(0, length);
        }
    }

    private BulkLoad.Result bulk(Mode mode, Vantage vantage, String service, Duration length) throws IOException {
        InetSocketAddress target = targets.of(mode, vantage, service, "bulk").get(0);
        return vantage.namespace().call(() -> BulkLoad.run(target, length));
    }
}
