package dev.nodepath.apiserver.rules;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;

/** Ports of nodes for Services: 30000 to 32767. */
final class NodePorts {
    private static final int FIRST = 30_000;
    private static final int LAST = 32_767;

    private final ServiceUse used;
    private final Random random;

    NodePorts(ServiceUse used, Random random) {
        this.used = used;
        this.random = random;
    }

    /** Why a port cannot be allocated; empty if it can. */
    Optional<String> refusal(int port) {
        if (port < FIRST || port > LAST) {
            return Optional.of(
                    "provided port is not in the valid range. The range of valid ports is " + FIRST + "-" + LAST);
        }
        return used.has(port) ? Optional.of("provided port is already allocated") : Optional.empty();
    }

    /** A free port. */
    OptionalLong next(Set<Integer> taken) {
        OptionalLong offset = Band.ofPorts(LAST - FIRST + 1L)
                .pick(random, LAST, each -> used.has((int) (FIRST + each)) || taken.contains((int) (FIRST + each)));
        return offset.isPresent() ? OptionalLong.of(FIRST + offset.getAsLong()) : offset;
    }
}
