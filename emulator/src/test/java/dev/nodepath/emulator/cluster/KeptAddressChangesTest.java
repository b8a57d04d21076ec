package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.emulator.enclosure.BuiltJava;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The mode changes from and to userspace mode with {@code --keep-client-address} under load. No connection may be
 * lost.
 */
@Tag("netns")
class KeptAddressChangesTest {
    private static final int CHANGES = Repetitions.of(3, 20);
    private static final int PER_SECOND = 150;

    /** Connections of each load in each mode: enough for the ports of the mode before to come again. */
    private static final int CONNECTIONS = Integer.getInteger("nodepath.test.connections", Repetitions.of(600, 2400));

    private static final String PORTS = System.getProperty("nodepath.test.ports", "32768 34815");

    /** A file system of the enclosure's own, which the tests run in. */
    private static final Path RUN = Path.of("/run/nodepath");

    @TempDir
    private Path folder;

    /** All have few ports, so that relay and pods often take the same ones. */
    @Test
    void noConnectionIsLostWhenTheModeChanges() throws Exception {
        List<ProxyMode> others = List.of(ProxyMode.IPTABLES, ProxyMode.NFTABLES);
        Topology twoNodes = TopologyReader.read(ComesWithNodepath.TWO_NODES.write(folder));
        try (Cluster cluster = Cluster.start(
                twoNodes, new KernelLinuxNet(), BuiltJava.command(), RUN, Optional.of(ProxyMode.USERSPACE), true)) {
            cluster.awaitReady();
            publishUnready(cluster);
            cluster.awaitProgrammed(cluster.lastTrigger());
            narrow(cluster.node("n1"));
            narrow(cluster.node("n2"));
            List<ConnectionLoad> loads = new ArrayList<>();
            try {
                for (String client : List.of("client-1", "client-2")) {
                    NetworkNamespace pod = cluster.podNetwork(client);
                    narrow(pod);
                    loads.add(ConnectionLoad.start(client + " to web", pod, List.of(web(cluster)), PER_SECOND));
                    loads.add(ConnectionLoad.start(client + " to pods", pod, pods(cluster), PER_SECOND / 3));
                }
                for (int change = 1; change <= CHANGES; change++) {
                    awaitConnections(loads);
                    System.out.println("change " + change + ": " + loads);
                    cluster.switchTo(change % 2 == 0 ? ProxyMode.USERSPACE : others.get(change / 2 % 2), true);
                }
                awaitConnections(loads);
            } finally {
                loads.forEach(ConnectionLoad::close);
                loads.forEach(System.out::println);
            }
            assertThat(loads).allSatisfy(load -> assertThat(load.lost()).isEmpty());
        }
    }

    private static void awaitConnections(List<ConnectionLoad> loads) throws Exception {
        ConnectionLoad first = loads.get(0);
        long enough = first.answered() + CONNECTIONS;
        Eventually.isTrue(CONNECTIONS + " connections", () -> first.answered() >= enough);
    }

    /** Where others keep both cores busy, probes and Leases are late: a Service without ready Pods would refuse. */
    private static void publishUnready(Cluster cluster) {
        cluster.api().modify(Resources.SERVICES, new ObjectKey("default", "web"), "", service -> {
            service.withObjectProperty("spec").put("publishNotReadyAddresses", true);
            return service;
        });
    }

    /** With reuse of ports, as there would be none left otherwise. */
    private static void narrow(NetworkNamespace namespace) throws Exception {
        namespace.setSysctl("net/ipv4/ip_local_port_range", PORTS);
        namespace.setSysctl("net/ipv4/tcp_tw_reuse", "1");
    }

    private static InetSocketAddress web(Cluster cluster) throws Exception {
        return new InetSocketAddress(cluster.service("web").clusterIps().get(0).toInetAddress(), 80);
    }

    private static List<InetSocketAddress> pods(Cluster cluster) {
        return List.of("web-1", "web-2", "web-3").stream()
                .map(name -> new InetSocketAddress(cluster.pod(name).address().toInetAddress(), 8080))
                .toList();
    }
}
