package dev.nodepath.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.endpoints.source.kubernetes.TestApiServer;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.Table;
import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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

    static Stream<Arguments> directions() {
        return Arrays.stream(ProxyMode.values())
                .flatMap(from -> from.others().stream().map(to -> Arguments.of(from, to)));
    }

    private NodepathProcess agent(String name, ProxyMode mode) throws IOException {
        return node.agent(name, "--proxy-mode=" + mode);
    }

    /** The modes of which either family has rules. */
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

    @ParameterizedTest
    @MethodSource("directions")
    void noRequestFailsAndNoConnectionIsCut(ProxyMode from, ProxyMode to) throws Exception {
        NodepathProcess first = agent("first", from);
        first.awaitLog("proxy.synced");
        List<Socket> kept = keptConnections(from);
        traffic.visitor();
        traffic.visitorOutside();
        traffic.awaitServed(first, 50);

        assertThat(first.terminate()).isEqualTo(143);
        NodepathProcess second = agent("second", to);
        second.await(() -> standing().equals(Set.of(to)));
        traffic.awaitServed(second, 50);
        for (Socket open : kept) {
            NodeTraffic.exchange(open);
        }
        assertThat(traffic.failures()).isEmpty();
    }

    /** A relay that is killed serves nobody until the next one has synced; the kernel's rules go on. */
    @ParameterizedTest
    @MethodSource("directions")
    void endsCleanAfterAKillInTheMiddle(ProxyMode from, ProxyMode to) throws Exception {
        NodepathProcess first = agent("first", from);
        first.awaitLog("proxy.synced");
        List<Socket> kept = keptConnections(from);
        traffic.visitor();
        traffic.visitorOutside();
        traffic.awaitServed(first, 10);

        assertThat(first.terminate()).isEqualTo(143);
        NodepathProcess second = agent("second", to);
        second.await(() -> standing().contains(to));
        second.kill();
        NodepathProcess third = agent("third", to);
        third.awaitLog("proxy.synced");
        third.await(() -> standing().equals(Set.of(to)));
        for (Socket open : kept) {
            NodeTraffic.exchange(open);
        }
        if (to == ProxyMode.USERSPACE) {
            traffic.failures().clear();
        }
        traffic.awaitServed(third, 50);
        assertThat(traffic.failures()).isEmpty();
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

    static Stream<Arguments> directionsAndAnotherRelay() {
        return Stream.concat(directions(), Stream.of(Arguments.of(ProxyMode.USERSPACE, ProxyMode.USERSPACE)));
    }

    @ParameterizedTest
    @MethodSource("directionsAndAnotherRelay")
    void clientsOfUdpAreAnsweredThroughout(ProxyMode from, ProxyMode to) throws Exception {
        node.api().put(TestApiServer.SERVICES, DNS);
        node.api().put(TestApiServer.SLICES, DNS_SLICE);
        traffic.echoDatagrams(8053);
        NodepathProcess first = agent("first", from);
        first.awaitLog("proxy.synced");
        List<AtomicInteger> all = List.of(traffic.talker("10.96.0.53", 53), traffic.talker("172.18.0.2", 30053));
        awaitAnswers(all);
        first.terminate();
        awaitAnswers(all);
        NodepathProcess second = agent("second", to);
        second.await(() -> standing().equals(Set.of(to)));
        awaitAnswers(all);
    }

    private static void awaitAnswers(List<AtomicInteger> all) {
        for (AtomicInteger answers : all) {
            int before = answers.get();
            Eventually.isTrue("more answers than " + before, () -> answers.get() > before + 5);
        }
    }
}
