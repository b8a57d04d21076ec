package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.source.kubernetes.TestApiServer;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.Table;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node's agent gets another proxy mode, in each of the six directions, while clients come and go. */
@Tag("netns")
@Tag("faults")
@Timeout(900)
class ModeChangeNetnsTest extends AgentNodeFixture {
    private static final String DNS = """
            {"metadata":{"namespace":"default","name":"dns"},"spec":{"clusterIP":"10.96.0.53",\
            "type":"NodePort","ports":[{"name":"udp","port":53,"nodePort":30053,"protocol":"UDP"}]}}""";

    private static final String DNS_SLICE = """
            {"metadata":{"namespace":"default","name":"dns-1","labels":{"kubernetes.io/service-name":"dns"}},\
            "addressType":"IPv4","endpoints":[{"addresses":["172.18.0.2"],"conditions":{"ready":true},"nodeName":"n1"}],\
            "ports":[{"name":"udp","port":8053,"protocol":"UDP"}]}""";

    /** Each of the six directions once, from the destination of the previous one. */
    private static final List<ProxyMode> WAY = List.of(
            ProxyMode.IPTABLES,
            ProxyMode.NFTABLES,
            ProxyMode.IPTABLES,
            ProxyMode.USERSPACE,
            ProxyMode.NFTABLES,
            ProxyMode.USERSPACE,
            ProxyMode.IPTABLES);

    /** Each mode ends once and comes once. */
    private static final List<ProxyMode> SHORT_WAY =
            List.of(ProxyMode.IPTABLES, ProxyMode.USERSPACE, ProxyMode.NFTABLES, ProxyMode.IPTABLES);

    @SuppressWarnings("NullAway.Init") // lives from @BeforeEach
    private NodeTraffic traffic;

    @BeforeEach
    void startTraffic() throws IOException {
        traffic = new NodeTraffic(node);
    }

    @AfterEach
    void endTraffic() throws IOException {
        traffic.close();
    }

    private NodepathProcess agent(String name, ProxyMode mode) throws IOException {
        return node.agent(name, "--proxy-mode=" + mode);
    }

    /** The modes with rules in either family. */
    private Set<ProxyMode> standing() throws IOException {
        Set<ProxyMode> modes = EnumSet.noneOf(ProxyMode.class);
        for (IpFamily family : IpFamily.values()) {
            String nat = node.namespace().iptables(family, IptablesVariant.NFT).save(Table.NAT);
            if (nat.contains(":KUBE-SERVICES ")) {
                modes.add(ProxyMode.IPTABLES);
            }
        }
        String tables = node.namespace().run("nft", "list", "tables");
        if (tables.contains(" kube-proxy\n")) {
            modes.add(ProxyMode.NFTABLES);
        }
        if (tables.contains(" nodepath-portals\n")) {
            modes.add(ProxyMode.USERSPACE);
        }
        return modes;
    }

    /** Connections that the relay of userspace mode carries end with it. */
    private List<Socket> keptConnections(ProxyMode mode) throws IOException {
        return mode == ProxyMode.USERSPACE ? List.of() : List.of(traffic.connection(), traffic.connectionFromOutside());
    }

    /** The clients of UDP go on sending from one port. A relay also comes after a relay. */
    @Test
    void noRequestFailsAndNoConnectionIsCut() throws Exception {
        List<ProxyMode> way = new ArrayList<>(WAY);
        way.add(WAY.indexOf(ProxyMode.USERSPACE), ProxyMode.USERSPACE);
        node.api().put(TestApiServer.SERVICES, DNS);
        node.api().put(TestApiServer.SLICES, DNS_SLICE);
        traffic.echoDatagrams(8053);
        NodepathProcess agent = agent("first", way.get(0));
        agent.awaitLog("proxy.synced");
        traffic.visitor();
        traffic.visitorOutside();
        for (int i = 1; i < way.size(); i++) {
            ProxyMode from = way.get(i - 1);
            ProxyMode to = way.get(i);
            agent.awaitLog("proxy.synced");
            List<Socket> kept = keptConnections(from);
            traffic.awaitServed(agent, 50);
            try (NodeTraffic.Talker toCluster = traffic.talker("10.96.0.53", 53);
                    NodeTraffic.Talker toNode = traffic.talker("172.18.0.2", 30053)) {
                awaitAnswers(toCluster, toNode);
                assertThat(agent.terminate()).isEqualTo(143);
                awaitAnswers(toCluster, toNode);
                agent = agent(i + "-" + to, to);
                agent.await(() -> standing().equals(Set.of(to)));
                traffic.awaitServed(agent, 50);
                awaitAnswers(toCluster, toNode);
            }
            for (Socket open : kept) {
                NodeTraffic.exchange(open);
            }
            assertThat(traffic.failures())
                    .as(from + " to " + to + ": " + agent.log())
                    .isEmpty();
        }
    }

    /** A killed relay serves no client until the next one has synced; the kernel's rules continue to work. */
    @Test
    void endsCleanAfterAKillInTheMiddle() throws Exception {
        List<ProxyMode> way = Repetitions.areWhole() ? WAY : SHORT_WAY;
        NodepathProcess agent = agent("first", way.get(0));
        agent.awaitLog("proxy.synced");
        traffic.visitor();
        traffic.visitorOutside();
        for (int i = 1; i < way.size(); i++) {
            ProxyMode from = way.get(i - 1);
            ProxyMode to = way.get(i);
            List<Socket> kept = keptConnections(from);
            traffic.awaitServed(agent, 10);

            assertThat(agent.terminate()).isEqualTo(143);
            NodepathProcess killed = agent(i + "-killed", to);
            killed.await(() -> standing().contains(to));
            killed.kill();
            agent = agent(i + "-" + to, to);
            agent.awaitLog("proxy.synced");
            agent.await(() -> standing().equals(Set.of(to)));
            for (Socket open : kept) {
                NodeTraffic.exchange(open);
            }
            if (to == ProxyMode.USERSPACE) {
                traffic.awaitServed(agent, 50);
                forgetReset();
                traffic.awaitServed(agent, 50);
                traffic.failures().clear();
            }
            traffic.awaitServed(agent, 50);
            assertThat(traffic.failures())
                    .as(from + " to " + to + ": " + agent.log())
                    .isEmpty();
        }
    }

    /**
     * For 10 s after a reset the kernel sends a new connection from the same port to the endpoint of the reset one. An
     * ending relay deletes the entries of connections that it has reset; after a kill they stay.
     */
    private void forgetReset() throws IOException {
        try (Conntrack flows = node.inside().call(() -> new KernelLinuxNet().conntrack())) {
            flows.deleteAll(
                    IpFamily.IPV4,
                    Protocol.TCP.number(),
                    flow -> flow.progress().state().equals("CLOSE"));
        }
    }

    /** No lock keeps two proxies apart that are no agents. */
    @Test
    void aRelayThatEndsAfterAProxyOfNftablesModeHasStartedLeavesNoRules() throws Exception {
        NodepathProcess relay = node.proxy("relay", "--mode=userspace");
        relay.await(() -> standing().equals(Set.of(ProxyMode.USERSPACE)));
        NodepathProcess tables = node.proxy("tables", "--mode=nftables");
        tables.await(() -> standing().equals(Set.of(ProxyMode.NFTABLES)));
        assertThat(relay.terminate()).isEqualTo(143);
        assertThat(standing()).containsExactly(ProxyMode.NFTABLES);
        assertThat(relay.log()).doesNotContain("proxy.handed_over");
    }

    private static void awaitAnswers(NodeTraffic.Talker... all) {
        for (NodeTraffic.Talker talker : all) {
            int before = talker.answers().get();
            Eventually.isTrue(
                    "more answers than " + before, () -> talker.answers().get() > before + 5);
        }
    }
}
