package dev.nodepath.emulator.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.emulator.walk.Host;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.emulator.walk.WalkTarget;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.conntrack.ConntrackFlow.Tuple;
import dev.nodepath.linux.conntrack.FakeConntrack;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProbeTrackingTest {
    private static final IpAddress CLIENT = IpAddress.parse("10.244.1.4");
    private static final IpAddress SERVICE = IpAddress.parse("10.96.0.20");
    private static final IpAddress NODE = IpAddress.parse("172.30.0.11");
    private static final IpAddress WEB = IpAddress.parse("10.244.2.2");
    private static final IpAddress OTHER = IpAddress.parse("10.244.2.3");
    private static final ProbeAnswer ANSWER = new ProbeAnswer(ProbeAnswer.Kind.ANSWERED, 4000, "web-1", "", 1, "");

    private final FakeConntrack n1 = new FakeConntrack();
    private final FakeConntrack n2 = new FakeConntrack();

    /** The kernel gives the port of a closed connection to a new one, whose entry then looks like the earlier one. */
    @Test
    void findsTheSecondLegByItsPacket() throws LinuxNetException {
        n1.add(flow(CLIENT, 4000, SERVICE, 80, NODE, 39000));
        n1.add(flow(NODE, 5001, WEB, 8080, WEB, 8080));
        n1.add(flow(NODE, 5002, WEB, 8080, WEB, 8080));
        n2.add(flow(NODE, 5002, WEB, 8080, WEB, 8080));

        assertThat(entries(
                        ProxyMode.USERSPACE,
                        new Packet(CLIENT, 4000, SERVICE, 80),
                        new Packet(NODE, 6000, OTHER, 8080),
                        new Packet(NODE, 5002, WEB, 8080)))
                .containsExactly(
                        "n1 10.244.1.4:4000 \u2192 10.96.0.20:80",
                        "n1 172.30.0.11:5002 \u2192 10.244.2.2:8080",
                        "n2 172.30.0.11:5002 \u2192 10.244.2.2:8080");
    }

    @Test
    void tellsTheFirstLegIfNoOtherWasSeen() throws LinuxNetException {
        n1.add(flow(CLIENT, 4000, SERVICE, 80, NODE, 39000));
        n1.add(flow(NODE, 5001, WEB, 8080, WEB, 8080));

        assertThat(entries(ProxyMode.USERSPACE)).containsExactly("n1 10.244.1.4:4000 \u2192 10.96.0.20:80");
    }

    @Test
    void followsWhatEachNodeMakesOfThePacket() throws LinuxNetException {
        n1.add(flow(CLIENT, 4000, SERVICE, 80, WEB, 8080));
        n2.add(flow(CLIENT, 4000, WEB, 8080, WEB, 8080));

        assertThat(entries(ProxyMode.IPTABLES, new Packet(NODE, 5001, WEB, 8080)))
                .containsExactly(
                        "n1 10.244.1.4:4000 \u2192 10.96.0.20:80", "n2 10.244.1.4:4000 \u2192 10.244.2.2:8080");
    }

    private List<String> entries(ProxyMode mode, Packet... carried) throws LinuxNetException {
        Walk walk = new Walk(
                new Host(Host.Kind.POD, "client-1", "n1", List.of(CLIENT)),
                CLIENT,
                new WalkTarget("Service default/web", SERVICE, 80, Protocol.TCP),
                mode,
                List.of(),
                List.of(end("web-1", WEB), end("web-2", OTHER)));
        Map<String, Conntrack> tracked = new LinkedHashMap<>();
        tracked.put("n1", n1);
        tracked.put("n2", n2);
        return new ProbeTracking(walk, new NodeTracking(tracked))
                .entries(ANSWER, List.of(carried)).stream()
                        .map(entry -> entry.node() + " " + entry.sent())
                        .toList();
    }

    private static ConntrackFlow flow(
            IpAddress source, int sourcePort, IpAddress to, int port, IpAddress became, int becamePort) {
        return new ConntrackFlow(
                Protocol.TCP.number(),
                new Tuple(source, to, sourcePort, port, 0),
                new Tuple(became, source, becamePort, sourcePort, 0),
                0,
                1);
    }

    private static Walk.End end(String name, IpAddress address) {
        return new Walk.End(
                Trace.Verdict.ENDPOINT, 1, name, address, 8080, Optional.of(NODE), List.of(), List.of(), List.of());
    }
}
