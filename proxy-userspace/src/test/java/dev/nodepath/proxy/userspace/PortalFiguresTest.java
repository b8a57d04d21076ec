package dev.nodepath.proxy.userspace;

import static dev.nodepath.proxy.userspace.ServiceSnapshots.endpoint;
import static dev.nodepath.proxy.userspace.ServiceSnapshots.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.TableWatch;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Prints how long a sync takes among many Services; how to run it is in docs/bench.md. */
@Tag("figures")
class PortalFiguresTest {
    private static final int SERVICES = 5000;
    private static final int CHANGES = 101;
    /** Not counted: a JVM that has not compiled its loops is another program. */
    private static final int WARM_UP = 50;

    @Test
    void changesAmongManyServices() throws Exception {
        ServiceSnapshots services = new ServiceSnapshots().node("node-a", "127.0.0.1");
        IntStream.range(0, SERVICES).forEach(i -> services.service("s" + i, ip(i), 80, endpoint("10.244.0.5:8080")));
        try (TableWatch watch = TableWatch.open(new KernelLinuxNet(), IptablesVariant.NFT);
                UserspaceProxy proxy = new UserspaceProxy("node-a", RelayConfig.DEFAULTS, List.of(iptables(watch)))) {
            proxy.sync(services.build(), ChangeSet.NONE);
            List<Double> added = new ArrayList<>();
            List<Double> endpoints = new ArrayList<>();
            for (int i = 0; i < WARM_UP + CHANGES; i++) {
                String service = "new" + i;
                services.service(service, ip(SERVICES + i), 80, endpoint("10.244.0.5:8080"));
                added.add(sync(proxy, services.build(), service));
                services.service(service, ip(SERVICES + i), 80, endpoint("10.244.0.6:8080"));
                endpoints.add(sync(proxy, services.build(), service));
            }
            System.out.printf(
                    "%d Services: a Service added p50 %.2f ms, an endpoint changed p50 %.3f ms%n",
                    SERVICES, median(added), median(endpoints));
            assertThat(proxy.fullSyncs(IpFamily.IPV4)).as("whole syncs").isEqualTo(1);
        }
    }

    /** As the agent has it. */
    private static Iptables iptables(TableWatch watch) {
        return new IptablesCommand(IpFamily.IPV4, Optional.of(IptablesVariant.NFT), watch);
    }

    private static String ip(int number) {
        return "10." + (100 + number / 62_500) + "." + number / 250 % 250 + "." + (1 + number % 250);
    }

    /** Milliseconds until the kernel and the relay have it. */
    private static double sync(UserspaceProxy proxy, ServiceSnapshot snapshot, String changed) throws Exception {
        long start = System.nanoTime();
        proxy.sync(snapshot, ChangeSet.of(List.of(name(changed))));
        return (System.nanoTime() - start) / 1e6;
    }

    private static double median(List<Double> all) {
        return all.stream().skip(WARM_UP).sorted().toList().get(CHANGES / 2);
    }
}
