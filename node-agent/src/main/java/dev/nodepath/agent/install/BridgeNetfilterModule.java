package dev.nodepath.agent.install;

import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.RuleTrial;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.iptables.Target;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The kernel module {@code br_netfilter}, which every pod needs. A process that may not load modules can add a rule
 * with a physdev match: the kernel then loads the module.
 */
public final class BridgeNetfilterModule {
    private static final Rule ASKING =
            Rule.of(new Target.Nothing(), new Match.Words("-m physdev --physdev-in nodepath"));

    private final BooleanSupplier loaded;
    private final Supplier<? extends Iptables> iptables;

    /**
     * The module of this kernel.
     *
     * @param loaded whether it is loaded
     * @param iptables used only if it is not loaded
     */
    public BridgeNetfilterModule(BooleanSupplier loaded, Supplier<? extends Iptables> iptables) {
        this.loaded = loaded;
        this.iptables = iptables;
    }

    /** Loads it if it is missing; returns what to do if that fails. */
    Optional<String> problem() {
        if (loaded.getAsBoolean()) {
            return Optional.empty();
        }
        String answer = ask();
        return loaded.getAsBoolean()
                ? Optional.empty()
                : Optional.of(
                        "kernel module br_netfilter: not loaded, and a rule that needs it did not load it" + answer
                                + " (expected: 'modprobe br_netfilter' on this node, and a file in /etc/modules-load.d with its name)");
    }

    /** The error of the attempt. */
    private String ask() {
        try {
            boolean accepted = RuleTrial.isAccepted(iptables.get(), Table.FILTER, ASKING);
            return accepted ? "" : ", which was refused";
        } catch (IptablesException e) {
            return ": " + e.getMessage();
        }
    }
}
