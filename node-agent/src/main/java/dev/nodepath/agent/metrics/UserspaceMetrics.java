package dev.nodepath.agent.metrics;

import dev.nodepath.proxy.userspace.metrics.DialTimes;
import dev.nodepath.proxy.userspace.metrics.EndpointCounts;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import dev.nodepath.proxy.userspace.metrics.ServiceCounts;
import dev.nodepath.proxy.userspace.metrics.TrafficCounts;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Traffic of userspace mode's relay: in total, and by service port and endpoint. */
public final class UserspaceMetrics implements MultiCollector {
    /** The limit of endpoints with series of their own; a metric has the number of the endpoints left out. */
    static final int ENDPOINTS_MAX = 10_000;

    private static final List<Double> DIAL_BOUNDS_SECONDS = Stream.concat(
                    DialTimes.BOUNDS_MICROS.stream().map(micros -> micros / 1e6), Stream.of(Double.POSITIVE_INFINITY))
            .toList();

    private static final List<Refused> REFUSED = List.of(
            new Refused("over_limit", RelayCount.OVER_LIMIT),
            new Refused("over_memory", RelayCount.OVER_MEMORY),
            new Refused("fault", RelayCount.BROKEN_DOWN),
            new Refused("no_translation", RelayCount.WITHOUT_TRANSLATION),
            new Refused("no_portal", RelayCount.WITHOUT_PORTAL),
            new Refused("source_ranges", RelayCount.OUTSIDE_SOURCE_RANGES),
            new Refused("no_endpoints", RelayCount.WITHOUT_ENDPOINTS),
            new Refused("network_policy", RelayCount.REFUSED_BY_POLICY),
            new Refused("no_answer", RelayCount.UNDIALLED),
            new Refused("datagram", RelayCount.DATAGRAMS_DROPPED));

    private final Supplier<List<ServiceCounts>> services;

    /** A value of the label {@code reason}, and its counter. */
    private record Refused(String reason, RelayCount count) {}

    private UserspaceMetrics(Supplier<List<ServiceCounts>> services) {
        this.services = services;
    }

    /** Adds them to a registry. */
    public static void register(
            PrometheusRegistry registry, RelayMetrics relay, Supplier<List<ServiceCounts>> services) {
        Definitions define = new Definitions(registry);
        define.gauge(
                "nodepath_relay_connections",
                "Open TCP connections of the userspace relays",
                callback -> callback.call(relay.active.get()));
        define.gauge(
                "nodepath_relay_flows",
                "Open UDP flows of the userspace relays",
                callback -> callback.call(relay.flowsActive.get()));
        define.counted(
                "nodepath_relay_accept_failures_total",
                "Times that a relay could not accept connections and paused, mostly because file descriptors"
                        + " ran out",
                callback -> callback.call((double) relay.of(RelayCount.ACCEPT_FAILURES)));
        define.counted(
                "nodepath_relay_spliced_bytes_total",
                "Payload bytes that passed a relay without a copy",
                callback -> callback.call((double) relay.of(RelayCount.BYTES_SPLICED)));
        define.counted(
                "nodepath_relay_batched_bytes_total",
                "Payload bytes that a relay sent in batches of small writes",
                callback -> callback.call((double) relay.of(RelayCount.BYTES_BATCHED)));
        define.counted(
                "nodepath_relay_refused_total",
                "Connections reset before they reached an endpoint, and datagrams dropped, by reason",
                callback -> REFUSED.forEach(one -> callback.call((double) relay.of(one.count()), one.reason())),
                "reason");
        registry.register(new UserspaceMetrics(services));
    }

    @Override
    public MetricSnapshots collect() {
        List<ServiceCounts> all = services.get();
        List<MetricSnapshot> snapshots = new ArrayList<>(ofServices(all));
        snapshots.addAll(ofEndpoints(all));
        return new MetricSnapshots(snapshots);
    }

    /** The totals stay when an endpoint and its own series are removed. */
    private static List<MetricSnapshot> ofServices(List<ServiceCounts> services) {
        CounterSnapshot.Builder opened =
                counter("service_opened", "Connections and UDP flows of the service port that reached an endpoint");
        CounterSnapshot.Builder failed =
                counter("service_failed", "Failed attempts to reach an endpoint of the" + " service port");
        CounterSnapshot.Builder bytes =
                counter("service_bytes", "Payload bytes of the service port, by the side that they came from");
        for (ServiceCounts service : services) {
            add(service.traffic(), labels(service), opened, failed, bytes);
        }
        return List.of(opened.build(), failed.build(), bytes.build());
    }

    private static void add(
            TrafficCounts traffic,
            Labels labels,
            CounterSnapshot.Builder opened,
            CounterSnapshot.Builder failed,
            CounterSnapshot.Builder bytes) {
        opened.dataPoint(point(labels, traffic.opened()));
        failed.dataPoint(point(labels, traffic.failed()));
        bytes.dataPoint(point(labels.add("from", "client"), traffic.bytesFromClients()));
        bytes.dataPoint(point(labels.add("from", "endpoint"), traffic.bytesToClients()));
    }

    private static List<MetricSnapshot> ofEndpoints(List<ServiceCounts> services) {
        CounterSnapshot.Builder opened =
                counter("endpoint_opened", "Connections and UDP flows that reached the endpoint");
        CounterSnapshot.Builder failed = counter("endpoint_failed", "Failed attempts to reach the endpoint");
        CounterSnapshot.Builder bytes = counter(
                "endpoint_bytes",
                "Payload bytes of the endpoint's connections and flows, by the side that they came from");
        GaugeSnapshot.Builder active = GaugeSnapshot.builder()
                .name("nodepath_relay_endpoint_active")
                .help("Open connections and UDP flows to the endpoint");
        HistogramSnapshot.Builder dials = HistogramSnapshot.builder()
                .name("nodepath_relay_dial_duration_seconds")
                .help("Seconds until an endpoint accepted a relay's connection");
        int told = 0;
        int leftOut = 0;
        for (ServiceCounts service : services) {
            for (EndpointCounts endpoint : service.endpoints()) {
                if (told >= ENDPOINTS_MAX) {
                    leftOut++;
                    continue;
                }
                told++;
                Labels labels = labels(service).add("endpoint", text(endpoint.address()));
                add(endpoint.traffic(), labels, opened, failed, bytes);
                active.dataPoint(GaugeDataPointSnapshot.builder()
                        .labels(labels)
                        .value(endpoint.active())
                        .build());
                dials.dataPoint(HistogramDataPointSnapshot.builder()
                        .labels(labels)
                        .classicHistogramBuckets(ClassicHistogramBuckets.of(DIAL_BOUNDS_SECONDS, endpoint.dialTimes()))
                        .build());
            }
        }
        GaugeSnapshot tooMany = GaugeSnapshot.builder()
                .name("nodepath_relay_endpoints_left_out")
                .help("Endpoints without series of their own because there are too many")
                .dataPoint(GaugeDataPointSnapshot.builder().value(leftOut).build())
                .build();
        return List.of(opened.build(), failed.build(), bytes.build(), active.build(), dials.build(), tooMany);
    }

    private static CounterSnapshot.Builder counter(String what, String help) {
        return CounterSnapshot.builder().name("nodepath_relay_" + what).help(help);
    }

    private static CounterDataPointSnapshot point(Labels labels, long value) {
        return CounterDataPointSnapshot.builder()
                .labels(labels)
                .value((double) value)
                .build();
    }

    private static Labels labels(ServiceCounts service) {
        return Labels.of(
                "ip_family", service.family().toString(),
                "namespace", service.name().service().namespace(),
                "service", service.name().service().name(),
                "port", service.name().port(),
                "protocol", service.name().protocol().name());
    }

    private static String text(InetSocketAddress endpoint) {
        return endpoint.getAddress().getHostAddress() + ":" + endpoint.getPort();
    }
}
