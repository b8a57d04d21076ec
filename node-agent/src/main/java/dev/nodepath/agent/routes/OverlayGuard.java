package dev.nodepath.agent.routes;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;

/**
 * Drops packets of pods to the overlay's port of any node. A node unpacks such a packet of every sender. A pod could
 * wrap one in it that has another pod's address.
 */
final class OverlayGuard {
    private static final int UDP = 17;

    /** Comes before the filters of others and of policies. None of them can accept such a packet first. */
    private static final int PRIORITY = -20;

    private final KeptChain input;
    private final KeptChain forward;
    private final List<NftRule> rules;

    /** The guard against pods of one bridge. */
    OverlayGuard(NetworkNamespace namespace, String podBridge) {
        this.input = new KeptChain(namespace, chain("input"));
        this.forward = new KeptChain(namespace, chain("forward"));
        this.rules = List.of(new NftRule(
                List.of(
                        new NftStatement.InputInterface(podBridge),
                        new NftStatement.DestinationPort(UDP, OverlayLink.PORT),
                        NftVerdict.DROP),
                "udp " + OverlayLink.PORT + " from " + podBridge));
    }

    private static NftChain chain(String hook) {
        return new NftChain(
                PodMasquerade.CHAIN.table(),
                "overlay-" + hook,
                Optional.of(NftChain.Hook.of("filter", hook, PRIORITY)));
    }

    /** Adds or repairs the rules. */
    void ensure() throws LinuxNetException {
        input.ensure(rules);
        forward.ensure(rules);
    }

    /** As {@link KeptChain#isLost}. */
    boolean isLost() throws LinuxNetException {
        return input.isLost() || forward.isLost();
    }

    /** Removes the rules; nothing happens if there are none. */
    void remove() throws LinuxNetException {
        input.remove();
        forward.remove();
    }
}
