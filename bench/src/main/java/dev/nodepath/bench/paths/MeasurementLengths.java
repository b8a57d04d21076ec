package dev.nodepath.bench.paths;

import java.time.Duration;

/**
 * The length of each measurement.
 *
 * @param toolSeconds of wrk and iperf3, which take whole seconds
 * @param udp of the echo of datagrams
 * @param openLoop of the requests at a fixed rate
 * @param warmUpSeconds of each kind of requests through the relay before the first round
 * @param idleConnections the most idle connections; the limit of descriptors may allow fewer
 */
record MeasurementLengths(int toolSeconds, Duration udp, Duration openLoop, int warmUpSeconds, int idleConnections) {
    /** The lengths of a full run. */
    public static final MeasurementLengths FULL =
            new MeasurementLengths(3, Duration.ofSeconds(2), Duration.ofSeconds(5), 4, 10_000);
    /** The lengths of a quick run. */
    public static final MeasurementLengths QUICK =
            new MeasurementLengths(1, Duration.ofMillis(400), Duration.ofMillis(800), 2, 10_000);
}
