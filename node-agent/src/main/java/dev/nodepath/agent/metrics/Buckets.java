package dev.nodepath.agent.metrics;

import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** The upper bounds of kube-proxy's histograms, in seconds. */
final class Buckets {
    /** 1 ms, doubled fourteen times. */
    static final double[] SYNC =
            IntStream.range(0, 15).mapToDouble(power -> (1 << power) / 1000.0).toArray();

    /** Kube-proxy's list starts with an empty bucket, 0, by an accident of how it is put together. */
    static final double[] PROGRAMMING = concat(
            DoubleStream.of(0, 0.25, 0.5),
            IntStream.rangeClosed(1, 59).asDoubleStream(),
            IntStream.range(0, 12).mapToDouble(i -> 60 + 5 * i),
            IntStream.range(0, 7).mapToDouble(i -> 120 + 30 * i));

    /** The buckets of client-go's {@code rest_client_request_duration_seconds}. */
    static final double[] REQUEST = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};

    private Buckets() {}

    private static double[] concat(DoubleStream... parts) {
        DoubleStream all = DoubleStream.empty();
        for (DoubleStream part : parts) {
            all = DoubleStream.concat(all, part);
        }
        return all.toArray();
    }
}
