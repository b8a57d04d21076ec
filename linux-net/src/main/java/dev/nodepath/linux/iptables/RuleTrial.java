package dev.nodepath.linux.iptables;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tells whether the command and the kernel accept a rule. It tries the rule in a chain that nothing jumps to. */
public final class RuleTrial {
    /** Every {@link RuleApplier} removes this chain, in case a killed process left it. */
    static final String CHAIN = "NODEPATH-PROBE";

    private RuleTrial() {}

    /**
     * Whether a rule is accepted. Costs two restores.
     *
     * @throws IptablesException if the command failed for another reason
     */
    public static boolean isAccepted(Iptables iptables, Table table, Rule rule) throws IptablesException {
        try {
            restore(iptables, new TableChange(table, Map.of(CHAIN, List.of(rule)), List.of(), Set.of()));
        } catch (IptablesException e) {
            if (e.isRefusal()) {
                return false;
            }
            throw e;
        }
        restore(iptables, new TableChange(table, Map.of(), List.of(), Set.of(CHAIN)));
        return true;
    }

    private static void restore(Iptables iptables, TableChange change) throws IptablesException {
        iptables.restore(RestoreText.of(List.of(change), Integer.MAX_VALUE));
    }
}
