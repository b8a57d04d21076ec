package dev.nodepath.bench.testbed;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The version of a kube-proxy binary, which decides whether it has the nftables mode.
 *
 * @param major 1; 0 of a binary that was built without a version
 * @param minor such as 36
 * @param name as the binary prints it, such as {@code v1.36.1}
 */
record KubeProxyVersion(int major, int minor, String name) {
    private static final Pattern PRINTED = Pattern.compile("Kubernetes (v(\\d+)\\.(\\d+)\\S*)");
    /** The first with the mode, behind a feature gate that is off. */
    private static final int ALPHA = 29;
    /** The first in which that gate is on. Later versions lack the gate, and refuse an unknown one. */
    private static final int BETA = 31;

    /** Reads the output of {@code kube-proxy --version}; empty if it is no version. */
    static Optional<KubeProxyVersion> parse(String printed) {
        Matcher matcher = PRINTED.matcher(printed);
        return matcher.find()
                ? Optional.of(new KubeProxyVersion(
                        Integer.parseInt(matcher.group(2)), Integer.parseInt(matcher.group(3)), matcher.group(1)))
                : Optional.empty();
    }

    /** Whether it has the nftables mode. */
    boolean hasNftables() {
        return major > 1 || (major == 1 && minor >= ALPHA);
    }

    /** The options that the mode needs besides its name. */
    List<String> nftablesOptions() {
        return major == 1 && minor < BETA ? List.of("--feature-gates=NFTablesProxyMode=true") : List.of();
    }

    @Override
    public String toString() {
        return name;
    }
}
