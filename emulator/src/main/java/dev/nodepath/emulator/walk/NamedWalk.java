package dev.nodepath.emulator.walk;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.endpoints.source.Manifests;
import java.util.List;

/** The way of a packet between names, as text. */
public final class NamedWalk {
    private NamedWalk() {}

    /**
     * Walks the packet and returns its way as text.
     *
     * @param proxies how the proxies run
     * @param objects Nodes, Pods, Services, EndpointSlices, ServiceCIDRs, NetworkPolicies, Namespaces
     * @param from a Pod, a node, or {@code client}
     * @param to {@code SERVICE:PORT}, {@code POD:PORT}, {@code NODE:PORT} or {@code IP:PORT}
     * @param json whether the text is JSON, for programs
     * @throws CommandException if a name is unknown; the message says which names were expected
     */
    public static String of(RunningProxies proxies, Manifests objects, String from, String to, boolean json)
            throws CommandException {
        Walk walk = walk(proxies, objects, from, to);
        return json ? WalkJson.of(walk) : WalkText.of(walk);
    }

    /** Walks the packet, as {@link #of}, for callers that need more than text. */
    public static Walk walk(RunningProxies proxies, Manifests objects, String from, String to) throws CommandException {
        ClusterState cluster = ClusterState.of(proxies, objects);
        WalkNames names = new WalkNames(cluster);
        Host sender = names.sender(from);
        WalkTarget target = names.target(to);
        try {
            return PacketWalk.of(cluster, sender, target);
        } catch (IllegalArgumentException e) {
            throw CommandException.wrongUsage(List.of("FROM, TO: " + e.getMessage()));
        }
    }
}
