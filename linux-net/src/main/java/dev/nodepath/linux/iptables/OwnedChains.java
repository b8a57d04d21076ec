package dev.nodepath.linux.iptables;

import java.util.Set;

/**
 * The names of the chains that one proxy mode owns, in any table. It may remove these chains. Other chains of a rule
 * set are shared with another program: they are written, but neither they nor the jumps to them are removed.
 *
 * @param names whole names
 * @param prefixes prefixes of names
 */
public record OwnedChains(Set<String> names, Set<String> prefixes) {

    public OwnedChains {
        names = Set.copyOf(names);
        prefixes = Set.copyOf(prefixes);
    }

    /** Whether the chain of this name belongs to the mode. */
    public boolean contains(String chain) {
        if (names.contains(chain)) {
            return true;
        }
        // No stream, because a listing asks this for ten thousands of chains.
        for (String prefix : prefixes) {
            if (chain.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
