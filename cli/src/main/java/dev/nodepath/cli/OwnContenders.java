package dev.nodepath.cli;

import java.util.Set;

/** The contenders of the suites that are Nodepath: others may get slower without a fault of ours. */
final class OwnContenders {
    private static final Set<String> NAMES =
            Set.of("nodepath", "userspace", "iptables", "nftables", "served", "standalone");

    private OwnContenders() {}

    /**
     * Whether a report's contender is one of these; its name may have a size after it, as in {@code nftables with
     * 5000}.
     */
    static boolean include(String contender) {
        return NAMES.contains(contender.split(" ", 2)[0]);
    }
}
