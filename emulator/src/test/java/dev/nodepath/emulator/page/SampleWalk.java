package dev.nodepath.emulator.page;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.walk.Hop;
import dev.nodepath.emulator.walk.Host;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.emulator.walk.WalkTarget;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import java.util.List;
import java.util.Optional;

/** A packet of client-1 to port 80 of the Service web, its ends, and its connection tracking. */
final class SampleWalk {
    static final IpAddress CLIENT = IpAddress.parse("10.244.1.4");
    static final IpAddress SERVICE = IpAddress.parse("10.96.0.20");
    static final IpAddress WEB = IpAddress.parse("10.244.1.2");

    private SampleWalk() {}

    static Walk to(Protocol protocol, ProxyMode mode, Walk.End... ends) {
        return new Walk(
                new Host(Host.Kind.POD, "client-1", "n1", List.of(CLIENT)),
                CLIENT,
                new WalkTarget("Service default/web", SERVICE, 80, protocol),
                mode,
                List.of(),
                List.of(ends));
    }

    /** An end at port 8080 of a receiver, or at the Service without a receiver. */
    static Walk.End end(Trace.Verdict verdict, String name, IpAddress address, Hop... way) {
        boolean reaches = !name.isEmpty();
        return new Walk.End(
                verdict,
                1,
                name,
                address,
                reaches ? 8080 : 80,
                reaches ? Optional.of(CLIENT) : Optional.empty(),
                List.of(way),
                List.of(),
                List.of());
    }

    /** The entry of a node that has made this target of the Service's address. */
    static NodeFlow entry(IpAddress target) {
        return entry("n1", SERVICE, 80, target);
    }

    /** The entry of a node to which the packet comes as one to this address and port. */
    static NodeFlow entry(String node, IpAddress destination, int port, IpAddress target) {
        return new NodeFlow(
                node,
                new ConntrackFlow(
                        6,
                        new ConntrackFlow.Tuple(CLIENT, destination, 4000, port, 0),
                        new ConntrackFlow.Tuple(target, CLIENT, 8080, 4000, 0),
                        0,
                        1));
    }
}
