package dev.nodepath.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.metrics.EndpointCounts;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import dev.nodepath.proxy.userspace.metrics.ServiceCounts;
import dev.nodepath.proxy.userspace.metrics.TrafficCounts;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UserspaceMetricsTest {
    private static final ServicePortName WEB =
            new ServicePortName(new NamespacedName("ns", "web"), "http", Protocol.TCP);
    private static final String SERVICE_LABELS =
            "{ip_family=\"IPv4\",namespace=\"ns\",port=\"http\",protocol=\"TCP\",service=\"web\"";
    private static final String LABELS = SERVICE_LABELS.replace("{", "{endpoint=\"10.244.1.2:8080\",");

    private static EndpointCounts endpoint(int number) {
        return new EndpointCounts(
                new InetSocketAddress("10.244.1." + number, 8080),
                new TrafficCounts(7, 1, 100, 2000),
                2,
                List.of(5L, 2L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L));
    }

    private static String text(List<EndpointCounts> endpoints) throws IOException {
        PrometheusRegistry registry = new PrometheusRegistry();
        UserspaceMetrics.register(
                registry,
                new RelayMetrics(),
                () -> List.of(new ServiceCounts(WEB, IpFamily.IPV4, new TrafficCounts(70, 3, 400, 9000), endpoints)));
        return MetricsText.response(registry.scrape()).body();
    }

    @Test
    void tellsWhatEachEndpointHasCarried() throws IOException {
        assertThat(text(List.of(endpoint(2))))
                .contains(
                        "nodepath_relay_endpoint_opened_total" + LABELS + "} 7.0\n",
                        "nodepath_relay_endpoint_failed_total" + LABELS + "} 1.0\n",
                        "nodepath_relay_service_opened_total" + SERVICE_LABELS + "} 70.0\n",
                        "nodepath_relay_service_failed_total" + SERVICE_LABELS + "} 3.0\n",
                        " 400.0\n",
                        " 9000.0\n",
                        "nodepath_relay_endpoint_active" + LABELS + "} 2.0\n",
                        "from=\"client\"",
                        " 100.0\n",
                        "from=\"endpoint\"",
                        " 2000.0\n",
                        "nodepath_relay_dial_duration_seconds_bucket" + LABELS + ",le=\"1.0E-4\"} 5\n",
                        "nodepath_relay_dial_duration_seconds_bucket" + LABELS + ",le=\"+Inf\"} 7\n",
                        "nodepath_relay_refused_total{reason=\"network_policy\"} 0.0\n",
                        "nodepath_relay_refused_total{reason=\"source_ranges\"} 0.0\n");
    }

    @Test
    void leavesOutWhatIsTooMuchAndSaysSo() throws IOException {
        assertThat(text(Collections.nCopies(1, endpoint(2)))).contains("nodepath_relay_endpoints_left_out 0.0\n");
        List<EndpointCounts> many = IntStream.range(0, UserspaceMetrics.ENDPOINTS_MAX + 3)
                .mapToObj(i -> new EndpointCounts(
                        new InetSocketAddress("10.1." + (i >> 8) + "." + (i & 255), 80),
                        new TrafficCounts(1, 0, 0, 0),
                        0,
                        Collections.nCopies(12, 0L)))
                .toList();
        assertThat(text(many)).contains("nodepath_relay_endpoints_left_out 3.0\n");
    }
}
