package dev.nodepath.bench.suite;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The peers to compare with.
 *
 * @param names a subset of {@link #KNOWN}
 */
public record Peers(Set<String> names) {
    /** HAProxy and nginx as stream proxies, and the CNI plugins of Debian's package containernetworking-plugins. */
    public static final List<String> KNOWN = List.of("haproxy", "nginx", "debian-cni");

    public Peers {
        names = Set.copyOf(names);
    }

    /**
     * Reads {@code auto}, {@code none} or names with commas between.
     *
     * @throws IllegalArgumentException for an unknown name
     */
    public static Peers parse(String text) {
        if (text.equals("auto")) {
            return new Peers(new TreeSet<>(KNOWN));
        }
        if (text.equals("none")) {
            return new Peers(Set.of());
        }
        Set<String> names = new TreeSet<>(Arrays.asList(text.split(",", -1)));
        for (String name : names) {
            if (!KNOWN.contains(name)) {
                throw new IllegalArgumentException(
                        "\"" + name + "\" (expected: auto, none, or of " + String.join(",", KNOWN) + ")");
            }
        }
        return new Peers(names);
    }

    /** Whether to measure this peer; if it is missing or fails, a note tells it. */
    public boolean include(String name) {
        if (!KNOWN.contains(name)) {
            throw new IllegalArgumentException("peer: " + name + " (expected: one of " + KNOWN + ")");
        }
        return names.contains(name);
    }
}
