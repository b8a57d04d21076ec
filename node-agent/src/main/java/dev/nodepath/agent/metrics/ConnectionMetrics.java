package dev.nodepath.agent.metrics;

import dev.nodepath.endpoints.ConnectionCount;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Connections by Service and by endpoint, from the counters of the nat rules. The cost of listing the rules is
 * proportional to their number, seconds in a large cluster. So they are listed only for a request, and at most once in
 * {@link #MAX_AGE}.
 */
public final class ConnectionMetrics {
    /** The maximum age of an answer. */
    public static final Duration MAX_AGE = Duration.ofSeconds(30);

    /** The limit of series by endpoint; with more endpoints only series by Service are given. */
    static final int ENDPOINT_SERIES_MAX = 10_000;

    /** The limit of series by Service; a metric has the number of the Services left out. */
    static final int SERVICE_SERIES_MAX = 10_000;

    private final Supplier<ServiceSnapshot> snapshot;
    private final List<IpFamily> families;
    private final Counters counters;
    private final LongSupplier nanoTime;
    private MetricSnapshots latest = new MetricSnapshots();
    private long readAt;
    private boolean read;

    /** The source of the counters. */
    @FunctionalInterface
    public interface Counters {
        /** The counts of a family's endpoints. */
        List<ConnectionCount> read(ServiceSnapshot snapshot, IpFamily family) throws IOException;
    }

    /**
     * Nothing is read yet.
     *
     * @param snapshot the newest snapshot, which maps chains to Services
     * @param counters read for each request that finds no fresh answer
     * @param nanoTime as {@link System#nanoTime}
     */
    public ConnectionMetrics(
            Supplier<ServiceSnapshot> snapshot, List<IpFamily> families, Counters counters, LongSupplier nanoTime) {
        this.snapshot = snapshot;
        this.families = List.copyOf(families);
        this.counters = counters;
        this.nanoTime = nanoTime;
    }

    /** The counts, at most {@link #MAX_AGE} old. */
    public synchronized MetricSnapshots metrics() throws IOException {
        if (!read || nanoTime.getAsLong() - readAt >= MAX_AGE.toNanos()) {
            latest = read(snapshot.get());
            readAt = nanoTime.getAsLong();
            read = true;
        }
        return latest;
    }

    private MetricSnapshots read(ServiceSnapshot cluster) throws IOException {
        CounterSnapshot.Builder services = CounterSnapshot.builder()
                .name("nodepath_service_connections")
                .help("Connections that rules sent to an endpoint of the service port, since its chains were"
                        + " written");
        CounterSnapshot.Builder endpoints = CounterSnapshot.builder()
                .name("nodepath_endpoint_connections")
                .help("Connections that rules sent to the endpoint, since its chain was written");
        int serviceSeries = 0;
        int endpointSeries = 0;
        int leftOut = 0;
        for (IpFamily family : families) {
            List<ConnectionCount> counts = counters.read(cluster, family);
            SortedMap<ServicePortName, Long> sums = new TreeMap<>();
            counts.forEach(count -> sums.merge(count.service(), count.connections(), Long::sum));
            boolean tooMany = endpointSeries + counts.size() > ENDPOINT_SERIES_MAX;
            leftOut += tooMany ? counts.size() : 0;
            for (ConnectionCount count : tooMany ? List.<ConnectionCount>of() : counts) {
                endpointSeries++;
                Labels labels = labels(family, count.service())
                        .add("endpoint", count.endpoint().hostAndPort());
                endpoints.dataPoint(point(labels, count.connections()));
            }
            for (var sum : sums.entrySet()) {
                if (serviceSeries < SERVICE_SERIES_MAX) {
                    serviceSeries++;
                    services.dataPoint(point(labels(family, sum.getKey()), sum.getValue()));
                } else {
                    leftOut++;
                }
            }
        }
        GaugeSnapshot tooMany = GaugeSnapshot.builder()
                .name("nodepath_connection_series_left_out")
                .help("Series of connection counts that are missing because there are too many")
                .dataPoint(GaugeDataPointSnapshot.builder().value(leftOut).build())
                .build();
        return MetricSnapshots.of(services.build(), endpoints.build(), tooMany);
    }

    private static CounterDataPointSnapshot point(Labels labels, long value) {
        return CounterDataPointSnapshot.builder()
                .labels(labels)
                .value((double) value)
                .build();
    }

    private static Labels labels(IpFamily family, ServicePortName service) {
        return Labels.of(
                "ip_family", family.toString(),
                "namespace", service.service().namespace(),
                "service", service.service().name(),
                "port", service.port(),
                "protocol", service.protocol().name());
    }
}
