package dev.nodepath.agent.daemon;

import dev.nodepath.agent.metrics.PolicyMetrics;
import dev.nodepath.agent.parts.Part;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.policy.PolicyNode;
import dev.nodepath.policy.PolicyObjects;
import dev.nodepath.policy.object.PolicySnapshot;
import dev.nodepath.policy.object.RefusedFlows;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the connections of the node's pods that the policies in force refuse, at its start and after each change. It
 * deletes their tracked flows; the tables drop their next packets. A run costs one list of the kernel's flows, and ends
 * at most {@link Conntrack#FOUND_MAX}; the next one ends the others.
 */
final class RefusedFlowsPart implements Part {
    private static final Logger LOG = LoggerFactory.getLogger(RefusedFlowsPart.class);

    /** Between two looks for a change. */
    private static final Duration LOOK = Duration.ofMillis(200);

    /** Changes of so long are judged together. */
    private static final Duration PAUSE_MIN = Duration.ofSeconds(5);

    /** A pause is at least so many times as long as the run before it: a twentieth of a processor. */
    private static final int PAUSE_RUNS = 20;

    private final KernelLinuxNet net;
    private final PolicyNode node;
    private final PolicyObjects objects;
    private final PolicyMetrics metrics;

    /** Flows of the namespace that this process is in. */
    RefusedFlowsPart(KernelLinuxNet net, PolicyNode node, PolicyObjects objects, PolicyMetrics metrics) {
        this.net = net;
        this.node = node;
        this.objects = objects;
        this.metrics = metrics;
    }

    @Override
    public String name() {
        return "policy-strict";
    }

    @Override
    public void run(Running running) throws LinuxNetException, InterruptedException {
        try (NetworkNamespace namespace = net.current();
                Conntrack conntrack = net.conntrack()) {
            running.up();
            Optional<PolicySnapshot> judged = Optional.empty();
            Duration pause = LOOK;
            while (!running.awaitStop(pause)) {
                pause = LOOK;
                Optional<PolicySnapshot> now = objects.inForce();
                if (now.isPresent() && !now.equals(judged)) {
                    long start = System.nanoTime();
                    judged = endRefused(conntrack, now.get(), namespace.hostAddresses()) ? now : Optional.empty();
                    pause = pauseAfter(Duration.ofNanos(System.nanoTime() - start));
                }
            }
        }
    }

    private static Duration pauseAfter(Duration run) {
        Duration share = run.multipliedBy(PAUSE_RUNS);
        return share.compareTo(PAUSE_MIN) > 0 ? share : PAUSE_MIN;
    }

    /**
     * Ends flows that a snapshot refuses.
     *
     * @return whether these were all; false if there were more than can be ended at once
     */
    boolean endRefused(Conntrack conntrack, PolicySnapshot snapshot, Collection<IpAddress> host)
            throws LinuxNetException {
        if (snapshot.isWithoutPolicies()) {
            return true;
        }
        RefusedFlows refused = new RefusedFlows(snapshot, node.name(), node.relays(), host);
        List<ConntrackFlow> found = conntrack.findAmongAll(refused::refuse);
        if (!found.isEmpty()) {
            int ended = conntrack.delete(found);
            metrics.ended(ended);
            LOG.atInfo().addKeyValue("connections", ended).log("policy.connections_ended");
        }
        return found.size() < Conntrack.FOUND_MAX;
    }
}
