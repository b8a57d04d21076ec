package dev.nodepath.agent.cluster;

import dev.nodepath.agent.parts.Part;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.agent.routes.PodForwarding;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the host's firewall from dropping pods' traffic, and restores its rule when other programs remove it. */
public final class ForwardPart implements Part {
    /** The interval of checks. A check runs no command if no table has changed. */
    private static final Duration LOOK = Duration.ofSeconds(5);

    private static final Duration LOOK_WAITING = Duration.ofMillis(200);
    private static final Logger LOG = LoggerFactory.getLogger(ForwardPart.class);

    private final Commands commands;
    private final Supplier<Optional<NodeInfo>> node;

    /**
     * Kept when the part restarts, because their watch lives as long as the process; empty before the first start.
     */
    private List<PodForwarding> families = List.of();

    /** Provides the iptables commands of the served families. */
    @FunctionalInterface
    public interface Commands {
        /** The commands of each family with tables on this host; none if it does not need iptables. */
        List<? extends Iptables> usableFamilies() throws IptablesException;
    }

    /** The forwarding of a Node's pods. */
    public ForwardPart(Commands commands, Supplier<Optional<NodeInfo>> node) {
        this.commands = commands;
        this.node = node;
    }

    @Override
    public String name() {
        return "forward";
    }

    @Override
    public void run(Running running) throws IptablesException, InterruptedException {
        if (families.isEmpty()) {
            families =
                    commands.usableFamilies().stream().map(PodForwarding::new).toList();
        }
        boolean known;
        do {
            // Without podCIDRs the rules of an earlier run stay, because its pods may still run.
            List<Cidr> podCidrs = node.get().map(NodeInfo::podCidrs).orElse(List.of());
            known = !podCidrs.isEmpty();
            if (known) {
                ensure(podCidrs);
                running.up();
            } else {
                running.waiting("the Node, with its podCIDRs, is not known yet");
            }
        } while (!running.awaitStop(known ? LOOK : LOOK_WAITING));
    }

    /** A failure of one family does not stop the other. */
    private void ensure(List<Cidr> podCidrs) throws IptablesException {
        List<IptablesException> failures = new ArrayList<>();
        for (PodForwarding family : families) {
            try {
                if (family.ensure(podCidrs)) {
                    LOG.atInfo()
                            .addKeyValue("family", family.family())
                            .addKeyValue("pod_cidrs", podCidrs)
                            .log("forward.accepted");
                }
            } catch (IptablesException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }
}
