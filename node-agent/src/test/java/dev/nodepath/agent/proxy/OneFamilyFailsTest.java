package dev.nodepath.agent.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.http.HttpPorts;
import dev.nodepath.agent.http.ProxyHealth;
import dev.nodepath.agent.http.ServiceHealthPorts;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.sync.ConntrackCleaner;
import dev.nodepath.endpoints.sync.ConntrackCleanerListener;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.endpoints.sync.SyncLoop;
import dev.nodepath.endpoints.sync.SyncPolicy;
import dev.nodepath.endpoints.sync.ThreadScheduler;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.HeldPorts;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.conntrack.ConntrackFlow.Tuple;
import dev.nodepath.linux.conntrack.FakeConntrack;
import dev.nodepath.linux.iptables.FakeIptables;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.proxy.iptables.IptablesConfig;
import dev.nodepath.proxy.iptables.IptablesProxy;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An ip6tables that never works keeps nothing of IPv4 from working. */
class OneFamilyFailsTest {
    private static final String PORTALS = "*nat\n:KUBE-PORTALS-CONTAINER - [0:0]\n";
    private static final IpAddress CLIENT = IpAddress.parse("10.244.9.9");
    private static final ConntrackFlow STALE = new ConntrackFlow(
            17,
            new Tuple(CLIENT, IpAddress.parse("10.96.0.10"), 40000, 53, 0),
            new Tuple(IpAddress.parse("10.244.0.9"), CLIENT, 5353, 40000, 0),
            0,
            1);

    private final FakeIptables ipv4 = new FakeIptables(IpFamily.IPV4);
    private final FakeIptables ipv6 = new FakeIptables(IpFamily.IPV6);
    private final FakeConntrack conntrack = new FakeConntrack();
    private final CountDownLatch failed = new CountDownLatch(1);
    private final int port;

    OneFamilyFailsTest() throws Exception {
        port = HeldPorts.next();
        ipv6.refuse("KUBE-SERVICES");
        ipv4.restore(PORTALS + "COMMIT\n");
        conntrack.add(STALE);
    }

    @Test
    void theOtherGoesOn() throws Exception {
        ServiceSnapshot snapshot = Snapshots.service("a/dns", Protocol.UDP, "10.96.0.10", 53)
                .endpoint("10.244.0.2:5353", "n1")
                .andService("a/web", "10.96.0.20", 80)
                .loadBalancerIps("198.51.100.7")
                .externalTrafficLocal()
                .healthCheckNodePort(port)
                .endpoint("10.244.0.3:80", "n1")
                .build();
        SyncListeners listeners = new SyncListeners();
        List<Iptables> both = List.of(ipv4, ipv6);
        ThreadScheduler scheduler = new ThreadScheduler("sync", InstantSource.system());
        try (HttpPorts http = new HttpPorts();
                ServiceHealthPorts health = healthPorts(http);
                NetworkNamespace namespace = new FakeLinuxNet().current();
                IptablesProxy proxy = new IptablesProxy(IptablesConfig.DEFAULTS, both, namespace, Optional.empty());
                SyncLoop loop =
                        new SyncLoop(proxy, SyncPolicy.DEFAULT, scheduler, new SplittableRandom(1), listeners)) {
            listeners.add(health);
            listeners.add(new ConntrackCleaner(
                    conntrack,
                    namespace,
                    "",
                    NodePortAddresses.ALL,
                    List.of(IpFamily.values()),
                    false,
                    ConntrackCleanerListener.NONE,
                    scheduler));
            listeners.add(new OtherModeRemover(
                    ProxyMode.USERSPACE,
                    iptables -> iptables.restore(PORTALS + "-X KUBE-PORTALS-CONTAINER\nCOMMIT\n"),
                    both,
                    proxy::fullSyncs,
                    () -> true,
                    InstantSource.system()));
            listeners.add(onFailure());
            loop.offer(snapshot, ChangeSet.of(snapshot.services().keySet()));
            assertThat(failed.await(5, TimeUnit.MINUTES)).isTrue();
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertThat(client.isConnected()).isTrue();
            }
        }
        assertThat(conntrack.flows()).isEmpty();
        assertThat(ipv4.save(Table.NAT)).contains("KUBE-SERVICES").doesNotContain("KUBE-PORTALS");
    }

    /** Told last of a try that failed. */
    private SyncListener onFailure() {
        return new SyncListener() {
            private boolean now;

            @Override
            public void failed(Throwable error, Duration retryIn) {
                now = true;
            }

            @Override
            public void ended(ServiceSnapshot snapshot, ChangeSet changed, Set<IpFamily> inForce) {
                if (now) {
                    failed.countDown();
                }
            }
        };
    }

    private static ServiceHealthPorts healthPorts(HttpPorts http) {
        ProxyHealth.Progress progress = new ProxyHealth.Progress() {
            @Override
            public Optional<Instant> pendingSince() {
                return Optional.empty();
            }

            @Override
            public Optional<Instant> lastSync(IpFamily family) {
                return Optional.empty();
            }

            @Override
            public boolean isNodeEligible() {
                return true;
            }
        };
        ProxyHealth health =
                new ProxyHealth(InstantSource.system(), Duration.ofSeconds(60), List.of(IpFamily.IPV4), progress);
        return new ServiceHealthPorts(http, health, "n1", snapshot -> List.of(IpAddress.parse("127.0.0.1")));
    }
}
