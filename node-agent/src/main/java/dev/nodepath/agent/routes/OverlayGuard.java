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
 * Drops what pods send to the overlay's port, on this node and on others. A node unpacks such a packet whoever has sent
 * it, so a pod could wrap a packet with the address of another.
 */
final class OverlayGuard {
    private static final int UDP = 17;

    /** Before all filters of others and of policies: no rule of theirs is to accept it first. */
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

    /** Whether other programs changed the rules; true once for each loss. Thread-safe. */
    boolean isLost() throws LinuxNetException {
        return input.isLost() || forward.isLost();
    }

    /** Removes the rules; nothing happens if there are none. */
    void remove() throws LinuxNetException {
        input.remove();
        forward.remove();
    }
}
