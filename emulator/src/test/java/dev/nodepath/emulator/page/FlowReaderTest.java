package dev.nodepath.emulator.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.conntrack.ConntrackFlow.Tuple;
import dev.nodepath.linux.conntrack.FlowProgress;
import dev.nodepath.page.Flow;
import dev.nodepath.page.Picture;
import dev.nodepath.page.PicturedNode;
import dev.nodepath.page.PicturedPod;
import dev.nodepath.page.PicturedService;
import dev.nodepath.page.PicturedService.EndpointPart;
import dev.nodepath.page.PicturedService.PortPart;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlowReaderTest {
    private static final String CLIENT = "10.244.1.2";
    private static final String WEB = "10.96.0.20";
    private static final String REMOTE = "10.244.2.2";

    @Test
    void joinsWhatTwoNodesRemember() {
        List<Flow> flows = flows(
                "iptables",
                "ready",
                entry("n2", 7, CLIENT, 4000, REMOTE, 8080, REMOTE, 8080, CLIENT, 4000),
                entry("n1", 5, CLIENT, 4000, WEB, 80, REMOTE, 8080, CLIENT, 4000));

        assertThat(flows).singleElement().satisfies(flow -> {
            assertThat(flow.id()).isEqualTo("n1-5");
            assertThat(flow.from()).isEqualTo(new Flow.Place("client-1", "10.244.1.2:4000"));
            assertThat(flow.to()).isEqualTo(new Flow.Place("web:80", "10.96.0.20:80"));
            assertThat(flow.service()).isEqualTo("web");
            assertThat(flow.end()).isEqualTo(new Flow.Place("web-2", "10.244.2.2:8080"));
            assertThat(flow.seen()).isEqualTo("10.244.1.2:4000");
            assertThat(flow.state()).isEqualTo("ESTABLISHED");
            assertThat(flow.endpoint()).isEqualTo("ready");
            assertThat(flow.bytes()).isEqualTo(840);
            assertThat(flow.entries())
                    .extracting(Flow.Entry::node, Flow.Entry::became)
                    .containsExactly(
                            tuple("n1", "10.244.1.2:4000 \u2192 10.244.2.2:8080"),
                            tuple("n2", "10.244.1.2:4000 \u2192 10.244.2.2:8080"));
        });
    }

    /** Both nodes let it pass; the sender's node comes first, in any order of their names. */
    @ParameterizedTest
    @CsvSource({"10.244.1.2, 10.244.2.2, n1, client-1", "10.244.2.2, 10.244.1.2, n2, web-2"})
    void aConnectionBetweenPodsIsOne(String from, String to, String first, String name) {
        List<Flow> flows = flows(
                "iptables",
                "ready",
                entry("n1", 1, from, 4000, to, 8080, to, 8080, from, 4000),
                entry("n2", 2, from, 4000, to, 8080, to, 8080, from, 4000));

        assertThat(flows).singleElement().satisfies(flow -> {
            assertThat(flow.from().name()).isEqualTo(name);
            assertThat(flow.entries())
                    .extracting(Flow.Entry::node)
                    .startsWith(first)
                    .hasSize(2);
            assertThat(flow.service()).isEmpty();
            assertThat(flow.endpoint()).isEmpty();
        });
    }

    @Test
    void followsANodePortThatMasquerades() {
        List<Flow> flows = flows(
                "iptables",
                "ready",
                entry("n2", 2, "172.30.0.11", 5000, REMOTE, 8080, REMOTE, 8080, "172.30.0.11", 5000),
                entry("n1", 1, "172.30.0.254", 4000, "172.30.0.11", 30080, REMOTE, 8080, "172.30.0.11", 5000));

        assertThat(flows).singleElement().satisfies(flow -> {
            assertThat(flow.from().name()).isEqualTo("client");
            assertThat(flow.to().name()).isEqualTo("n1:30080");
            assertThat(flow.service()).isEqualTo("web");
            assertThat(flow.seen()).isEqualTo("172.30.0.11:5000");
            assertThat(flow.entries()).hasSize(2);
        });
    }

    @ParameterizedTest
    @CsvSource({"ready, ready", "unready, unready", "ending, ending", "'', gone"})
    void saysWhetherTheServiceStillSendsThere(String state, String shown) {
        List<Flow> flows = flows("nftables", state, entry("n1", 5, CLIENT, 4000, WEB, 80, REMOTE, 8080, CLIENT, 4000));

        assertThat(flows).extracting(Flow::endpoint).containsExactly(shown);
    }

    /** The relay is at the bridge's address, which no object names. The other node runs another mode. */
    @Test
    void bothLegsOfTheRelayAreShown() {
        List<Flow> flows = flows(
                "userspace",
                "ready",
                entry("n1", 1, CLIENT, 4000, WEB, 80, "10.244.1.1", 41000, CLIENT, 4000),
                entry("n1", 2, "172.30.0.11", 5000, REMOTE, 8080, REMOTE, 8080, "172.30.0.11", 5000),
                entry("n2", 3, "172.30.0.11", 5000, REMOTE, 8080, REMOTE, 8080, "172.30.0.11", 5000));

        assertThat(flows)
                .extracting(flow -> flow.from().name(), flow -> flow.end().name(), Flow::endpoint)
                .containsExactly(tuple("client-1", "the relay on n1", ""), tuple("n1", "web-2", ""));
    }

    /** After a load there are thousands, and a reader looks for the connection of a moment ago. */
    @Test
    void thoseThatEndedFirstComeLast() {
        List<Flow> flows = flows(
                "iptables",
                "ready",
                ended(1, 7),
                ended(2, 119),
                entry("n1", 3, CLIENT, 5000, WEB, 80, REMOTE, 8080, CLIENT, 5000));

        assertThat(flows).extracting(Flow::id).containsExactly("n1-3", "n1-2", "n1-1");
    }

    @Test
    void leavesOutWhatHasNothingToDoWithPods() {
        assertThat(flows(
                        "iptables",
                        "ready",
                        entry(
                                "n1",
                                1,
                                "172.30.0.11",
                                5000,
                                "172.30.0.1",
                                6443,
                                "172.30.0.1",
                                6443,
                                "172.30.0.11",
                                5000)))
                .isEmpty();
    }

    private static List<Flow> flows(String mode, String endpointState, NodeFlow... entries) {
        return FlowReader.flows(List.of(entries), names(mode, endpointState));
    }

    static FlowNames names(String mode, String endpointState) {
        List<EndpointPart> endpoints =
                endpointState.isEmpty() ? List.of() : List.of(new EndpointPart(REMOTE, "web-2", endpointState));
        Picture picture = new Picture(
                mode,
                new Picture.ClientPart("client", "172.30.0.254"),
                List.of(node("n1", 1, mode), node("n2", 2, "nftables")),
                List.of(pod("client-1", "n1", CLIENT), pod("web-2", "n2", REMOTE)),
                List.of(new PicturedService(
                        "web",
                        "NodePort",
                        List.of(WEB),
                        List.of(new PortPart("", "TCP", 80, 30080)),
                        endpoints,
                        List.of())));
        return new FlowNames(picture);
    }

    private static PicturedNode node(String name, int number, String mode) {
        return new PicturedNode(
                name,
                List.of("172.30.0.1" + number),
                List.of("10.244." + number + ".0/24"),
                true,
                mode,
                true,
                false,
                true,
                Optional.empty(),
                "172.30.0.0/24");
    }

    private static PicturedPod pod(String id, String node, String address) {
        return new PicturedPod(id, node, 0, List.of(address), true, false, "", false, List.of(8080), false);
    }

    /** An entry with the addresses and ports of the first packet, and of the answer's. */
    private static NodeFlow entry(
            String node,
            int id,
            String source,
            int sourcePort,
            String destination,
            int port,
            String answering,
            int answeringPort,
            String answered,
            int answeredPort) {
        return new NodeFlow(
                node,
                new ConntrackFlow(
                        6,
                        new Tuple(IpAddress.parse(source), IpAddress.parse(destination), sourcePort, port, 0),
                        new Tuple(
                                IpAddress.parse(answering), IpAddress.parse(answered), answeringPort, answeredPort, 0),
                        0,
                        id,
                        true,
                        new FlowProgress("ESTABLISHED", 12, 840, 300)));
    }

    private static NodeFlow ended(int id, int secondsLeft) {
        NodeFlow open = entry("n1", id, CLIENT, 4000 + id, WEB, 80, REMOTE, 8080, CLIENT, 4000 + id);
        ConntrackFlow flow = open.flow();
        return new NodeFlow(
                open.node(),
                new ConntrackFlow(
                        flow.protocol(),
                        flow.original(),
                        flow.reply(),
                        flow.zone(),
                        flow.id(),
                        true,
                        new FlowProgress("TIME_WAIT", 12, 840, secondsLeft)));
    }
}
