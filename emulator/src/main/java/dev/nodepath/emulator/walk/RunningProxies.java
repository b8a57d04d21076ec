package dev.nodepath.emulator.walk;

import dev.nodepath.agent.options.ProxyMode;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The state of a cluster's proxies.
 *
 * @param mode of nodes without a mode of their own
 * @param modes the modes of single nodes
 * @param ended the nodes whose proxy process has ended: the rules stay, the relays do not
 * @param cut the nodes without power: none of their programs runs
 * @param keepsClientAddress whether proxies in userspace mode run with {@code --keep-client-address}
 */
public record RunningProxies(
        ProxyMode mode, Map<String, ProxyMode> modes, Set<String> ended, Set<String> cut, boolean keepsClientAddress) {
    public RunningProxies {
        modes = Map.copyOf(modes);
        ended = Set.copyOf(ended);
        cut = Set.copyOf(cut);
    }

    /** The same mode on all nodes. */
    public RunningProxies(ProxyMode mode, boolean keepsClientAddress) {
        this(mode, Map.of(), Set.of(), Set.of(), keepsClientAddress);
    }

    /**
     * Reads the modes as a cluster reports them.
     *
     * @param names of the modes on the command line, by node
     * @throws IllegalArgumentException if there is no such mode, or no node
     */
    public static RunningProxies of(Map<String, String> names, Set<String> ended, boolean keepsClientAddress) {
        Map<String, ProxyMode> modes = new TreeMap<>();
        names.forEach((node, name) -> modes.put(node, ProxyMode.valueOf(name.toUpperCase(Locale.ROOT))));
        ProxyMode first = modes.values().stream()
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no node (expected: one)"));
        return new RunningProxies(first, modes, ended, Set.of(), keepsClientAddress);
    }

    /** The same, but these nodes have no power. */
    public RunningProxies without(Set<String> nodes) {
        return new RunningProxies(mode, modes, ended, nodes, keepsClientAddress);
    }

    /** The mode of a node's proxy. */
    public ProxyMode mode(String node) {
        return modes.getOrDefault(node, mode);
    }
}
