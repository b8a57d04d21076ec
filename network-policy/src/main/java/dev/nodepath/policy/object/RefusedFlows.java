package dev.nodepath.policy.object;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds the tracked flows of a node's pods that the policies of a snapshot refuse. Flows from the node itself, and
 * from a pod to itself, are never refused. Immutable.
 */
public final class RefusedFlows {
    /** Flows of other protocols have no ports, and the kernel needs ports to find the flow to delete. */
    private static final Set<Integer> PROTOCOLS =
            Arrays.stream(Protocol.values()).map(Protocol::number).collect(Collectors.toUnmodifiableSet());

    private final boolean relays;
    private final PolicyEvaluator evaluator;
    private final Set<IpAddress> pods;
    private final Set<IpAddress> host;

    /**
     * Flows of a node's namespace.
     *
     * @param node the name of its Node
     * @param relays whether a relay on the node takes connections to Services, and asks the policies itself
     * @param host the addresses of the node itself
     */
    public RefusedFlows(PolicySnapshot snapshot, String node, boolean relays, Collection<IpAddress> host) {
        this.relays = relays;
        this.evaluator = new PolicyEvaluator(snapshot);
        this.pods = snapshot.pods().values().stream()
                .filter(pod -> pod.node().equals(node))
                .flatMap(pod -> pod.addresses().stream())
                .collect(Collectors.toUnmodifiableSet());
        this.host = new HashSet<>(host);
    }

    /** Whether policies of the node's pods refuse a flow. Other nodes ask the policies of their own pods. */
    public boolean refuse(ConntrackFlow flow) {
        if (!PROTOCOLS.contains(flow.protocol()) || !(isFromPod(flow) || isToPod(flow)) || isToRelay(flow)) {
            return false;
        }
        PolicyVerdict verdict = evaluator.judge(new PolicyPacket(
                flow.original().source(),
                flow.reply().source(),
                flow.protocol(),
                flow.reply().sourcePort(),
                host.contains(flow.original().source())));
        return (isFromPod(flow) && !verdict.egress().allows())
                || (isToPod(flow) && !verdict.ingress().allows());
    }

    private boolean isFromPod(ConntrackFlow flow) {
        return pods.contains(flow.original().source());
    }

    /** Answers come from the chosen endpoint. */
    private boolean isToPod(ConntrackFlow flow) {
        return pods.contains(flow.reply().source());
    }

    /** Whether a relay of this node has the flow: its destination is not the endpoint. The relay asks the policies. */
    private boolean isToRelay(ConntrackFlow flow) {
        return relays
                && flow.isDestinationTranslated()
                && host.contains(flow.reply().source());
    }
}
