package dev.nodepath.linux.iptables.rule;

import java.util.Set;

/**
 * The names of the chains that belong to one proxy mode, in whatever table: what it may remove when it finds them. A
 * chain of a rule set that is not among them is shared with another program: it is written, but neither it nor the
 * jumps to it are ever removed.
 *
 * @param names whole names
 * @param prefixes beginnings of names
 */
public record OwnedChains(Set<String> names, Set<String> prefixes) {

    /** Copies the sets. */
    public OwnedChains {
        names = Set.copyOf(names);
        prefixes = Set.copyOf(prefixes);
    }

    /** Whether the chain of this name belongs to the mode. */
    public boolean contains(String chain) {
        if (names.contains(chain)) {
            return true;
        }
        // No stream: it is asked of each of some ten thousand chains when the tables are read.
        for (String prefix : prefixes) {
            if (chain.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
