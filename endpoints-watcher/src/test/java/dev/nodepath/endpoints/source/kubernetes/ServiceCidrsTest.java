package dev.nodepath.endpoints.source.kubernetes;

import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.FAST;
import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.SERVICE_CIDRS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ServiceCidr;
import dev.nodepath.linux.address.Cidr;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** ServiceCIDRs, which nftables mode follows. */
class ServiceCidrsTest extends KubernetesSourceFixture {
    @BeforeEach
    void fill() {
        cluster();
    }

    private KubernetesSource started() throws Exception {
        return started(FAST);
    }

    private KubernetesSource started(WatchLimits limits) throws Exception {
        KubernetesSource source = new KubernetesSource(
                        ApiServerAccess.master(server.url()),
                        "n1",
                        KubernetesSource.Nodes.OWN,
                        Optional.empty(),
                        "",
                        limits,
                        new Random(1),
                        InstantSource.system())
                .withServiceCidrs();
        source.start((snapshot, changed) -> snapshots.add(snapshot));
        return source;
    }

    private void put(String cidr) {
        server.put(SERVICE_CIDRS, """
                {"metadata":{"name":"kubernetes"},"spec":{"cidrs":["%s"]}}""".formatted(cidr));
    }

    private static List<ServiceCidr> range(String cidr) {
        return List.of(new ServiceCidr("kubernetes", List.of(Cidr.parse(cidr))));
    }

    @Test
    void areInTheFirstSnapshotAndFollowed() throws Exception {
        put("10.96.0.0/12");
        try (KubernetesSource source = started()) {
            await(() -> !snapshots.isEmpty());
            assertThat(List.copyOf(snapshots.element().serviceCidrs().values())).isEqualTo(range("10.96.0.0/12"));
            put("10.96.0.0/16");
            await(() -> List.copyOf(source.snapshot().serviceCidrs().values()).equals(range("10.96.0.0/16")));
            server.delete(SERVICE_CIDRS, "", "kubernetes");
            await(() -> source.snapshot().serviceCidrs().isEmpty());
        }
    }

    @Test
    void doNotHoldUpTheFirstSnapshotWithoutTheRight() throws Exception {
        server.fail(SERVICE_CIDRS, false, 100, 403, """
                {"kind":"Status","status":"Failure","message":"no","reason":"Forbidden","code":403}""", "");
        try (KubernetesSource source = started(limits(FAST.silence(), Duration.ofHours(1), 500))) {
            await(() -> !snapshots.isEmpty());
            assertThat(source.snapshot().serviceCidrs()).isEmpty();
            assertThat(source.snapshot().services()).isNotEmpty();
        }
    }
}
