package dev.nodepath.agent.options;

import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;

/** Removes the rules of a mode in one family. */
@FunctionalInterface
public interface RuleRemoval {
    /**
     * Removes the rules.
     *
     * @throws IptablesException if some are left
     */
    void remove(Iptables iptables) throws IptablesException;
}
