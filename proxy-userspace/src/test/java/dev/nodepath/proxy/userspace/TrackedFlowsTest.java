package dev.nodepath.proxy.userspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.conntrack.FakeConntrack;
import dev.nodepath.linux.conntrack.FlowProgress;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.proxy.userspace.portals.Destination;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TrackedFlowsTest {
    private static final Destination DNS = new Destination(IpAddress.parse("10.96.0.53"), 53);
    private static final String RELAY = "172.18.0.2";

    private final FakeConntrack conntrack = new FakeConntrack();
    private final TrackedFlows tracked = new TrackedFlows(conntrack);

    @Test
    void forgetsThoseWhoAreLedElsewhereThanRulesLead() {
        ConntrackFlow toUs = flow(17, "10.96.0.53", 53, RELAY, 40_001);
        ConntrackFlow toAnother = flow(17, "10.96.0.53", 53, RELAY, 40_002);
        ConntrackFlow untranslated = flow(17, "10.96.0.53", 53, "10.96.0.53", 53);
        ConntrackFlow otherService = flow(17, "10.96.0.54", 53, RELAY, 40_003);
        ConntrackFlow tcp = flow(6, "10.96.0.53", 53, RELAY, 40_002);
        for (ConntrackFlow flow : new ConntrackFlow[] {toUs, toAnother, untranslated, otherService, tcp}) {
            conntrack.add(flow);
        }
        tracked.correct(IpFamily.IPV4, Map.of(DNS, 40_001), Set.of());
        assertThat(conntrack.flows()).containsExactly(toUs, otherService, tcp);
    }

    @Test
    void forgetsThoseWhoAreLedToAPortThatIsGone() {
        ConntrackFlow nodePort = flow(17, RELAY, 30_053, RELAY, 40_002);
        ConntrackFlow direct = flow(17, RELAY, 40_002, RELAY, 40_002);
        conntrack.add(nodePort);
        conntrack.add(direct);
        tracked.correct(IpFamily.IPV4, Map.of(), Set.of(40_002));
        assertThat(conntrack.flows()).containsExactly(direct);
    }

    @Test
    void forgetsConnectionsThatWereResetAndNoOthers() {
        ConntrackFlow reset = tcp(40_002, "CLOSE");
        ConntrackFlow atAnotherPort = tcp(40_001, "CLOSE");
        ConntrackFlow established = tcp(40_002, "ESTABLISHED");
        for (ConntrackFlow flow : new ConntrackFlow[] {reset, atAnotherPort, established}) {
            conntrack.add(flow);
        }
        tracked.forgetReset(IpFamily.IPV4, 40_002);
        assertThat(conntrack.flows()).containsExactly(atAnotherPort, established);
    }

    private static ConntrackFlow tcp(int relay, String state) {
        ConntrackFlow flow = flow(6, "10.96.0.20", 80, RELAY, relay);
        return new ConntrackFlow(
                6, flow.original(), flow.reply(), 0, relay + state.length(), true, new FlowProgress(state, 0, 0, 0));
    }

    @Test
    void asksForNothingWithoutNeedAndFailsNobody() {
        tracked.correct(IpFamily.IPV4, Map.of(), Set.of());
        assertThat(conntrack.listings()).isEmpty();
        conntrack.fail(Errno.EPERM);
        tracked.correct(IpFamily.IPV4, Map.of(DNS, 1), Set.of());
    }

    static ConntrackFlow flow(int protocol, String to, int port, String answering, int answeringPort) {
        IpAddress client = IpAddress.parse("10.244.0.5");
        return new ConntrackFlow(
                protocol,
                new ConntrackFlow.Tuple(client, IpAddress.parse(to), 50_000, port, 0),
                new ConntrackFlow.Tuple(IpAddress.parse(answering), client, answeringPort, 50_000, 0),
                0,
                1);
    }
}
