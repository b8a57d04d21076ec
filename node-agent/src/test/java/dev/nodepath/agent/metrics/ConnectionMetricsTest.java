package dev.nodepath.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.iptables.ConnectionListing;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionMetricsTest {
    private static final ServiceSnapshot CLUSTER = Snapshots.service("ns1/svc1:p80", "172.30.0.41", 80)
            .endpoint("10.180.0.1:80", "n1")
            .build();

    private static final String LISTING = """
            *nat
            :KUBE-SEP-SXIVWICOYRO3J4NJ - [0:0]
            [9:540] -A KUBE-SVC-XPGD46QRK7WJZT7O -m comment --comment "ns1/svc1:p80 -> 10.180.0.1:80" -j KUBE-SEP-SXIVWICOYRO3J4NJ
            [2:120] -A KUBE-SEP-SXIVWICOYRO3J4NJ -s 10.180.0.1/32 -m comment --comment "ns1/svc1:p80" -j KUBE-MARK-MASQ
            [9:540] -A KUBE-SEP-SXIVWICOYRO3J4NJ -p tcp -m comment --comment "ns1/svc1:p80" -m tcp -j DNAT --to-destination 10.180.0.1:80
            [4:240] -A KUBE-SEP-OYPFS5VJICHGATKP -p tcp -m tcp -j DNAT --to-destination 10.180.0.3:80
            COMMIT
            """;

    private long nanos;
    private int listings;
    private final ConnectionMetrics metrics = new ConnectionMetrics(
            () -> CLUSTER,
            List.of(IpFamily.IPV4),
            (cluster, family) -> {
                listings++;
                return ConnectionListing.read(cluster, family, LISTING);
            },
            () -> nanos);

    @Test
    void tellsConnectionsByServiceAndEndpoint() throws IOException {
        assertThat(MetricsText.response(metrics.metrics()).body())
                .contains(
                        "nodepath_service_connections_total{ip_family=\"IPv4\",namespace=\"ns1\",port=\"p80\","
                                + "protocol=\"TCP\",service=\"svc1\"} 9.0\n",
                        "nodepath_endpoint_connections_total{endpoint=\"10.180.0.1:80\",ip_family=\"IPv4\","
                                + "namespace=\"ns1\",port=\"p80\",protocol=\"TCP\",service=\"svc1\"} 9.0\n",
                        "nodepath_connection_series_left_out 0.0\n")
                .doesNotContain("10.180.0.3");
    }

    @Test
    void listsTheRulesNotMoreOftenThanEveryThirtySeconds() throws IOException {
        assertThat(listings).isZero();
        metrics.metrics();
        nanos = 29_999_000_000L;
        metrics.metrics();
        assertThat(listings).isEqualTo(1);
        nanos = 30_000_000_000L;
        metrics.metrics();
        assertThat(listings).isEqualTo(2);
    }

    @Test
    void leavesOutEndpointsIfThereAreTooMany() throws IOException {
        Snapshots large = Snapshots.service("a/web", "10.96.0.1", 80);
        StringBuilder listing = new StringBuilder();
        ServiceSnapshot cluster = large(large);
        cluster.endpoints()
                .values()
                .iterator()
                .next()
                .forEach(endpoint -> listing.append("[1:60] -A ")
                        .append(chain(endpoint.hostAndPort()))
                        .append(" -p tcp -j DNAT --to-destination ")
                        .append(endpoint.hostAndPort())
                        .append('\n'));
        ConnectionMetrics many = new ConnectionMetrics(
                () -> cluster,
                List.of(IpFamily.IPV4),
                (newest, family) -> ConnectionListing.read(newest, family, listing.toString()),
                () -> 0);
        assertThat(MetricsText.response(many.metrics()).body())
                .contains("service=\"web\"} 10001.0\n", "nodepath_connection_series_left_out 10001.0\n")
                .doesNotContain("endpoint=");
    }

    private static ServiceSnapshot large(Snapshots snapshots) {
        Snapshots all = snapshots;
        for (int i = 0; i <= ConnectionMetrics.ENDPOINT_SERIES_MAX; i++) {
            all = all.endpoint("10.1." + (i >> 8) + "." + (i & 255) + ":80", "n1");
        }
        return all.build();
    }

    /** The name of an endpoint's chain, worked out anew. */
    private static String chain(String hostAndPort) {
        try {
            byte[] digest = java.security.MessageDigest.getInstance("SHA-256")
                    .digest(("a/webtcp" + hostAndPort).getBytes(java.nio.charset.StandardCharsets.UTF_8));
            java.math.BigInteger bits = new java.math.BigInteger(1, java.util.Arrays.copyOf(digest, 10));
            StringBuilder name = new StringBuilder();
            for (int i = 15; i >= 0; i--) {
                name.append("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
                        .charAt(bits.shiftRight(5 * i).intValue() & 31));
            }
            return "KUBE-SEP-" + name;
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
