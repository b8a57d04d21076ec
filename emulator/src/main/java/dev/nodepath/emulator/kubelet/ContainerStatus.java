package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * A container as it was at one moment.
 *
 * @param role what it is for its Pod
 * @param name its name
 * @param ready whether it is ready
 * @param begun whether it runs or has run
 * @param exitCode if it has ended and is not started again
 * @param entry its entry in {@code containerStatuses}
 */
record ContainerStatus(
        ContainerSpec.Role role,
        String name,
        boolean ready,
        boolean begun,
        Optional<Integer> exitCode,
        ObjectNode entry) {

    boolean isSidecar() {
        return role == ContainerSpec.Role.SIDECAR;
    }

    boolean runs() {
        return entry.path("state").has("running");
    }

    /** Whether an init container lets the next container start. */
    boolean lets() {
        return isSidecar()
                ? entry.path("started").asBoolean()
                : exitCode.filter(code -> code == 0).isPresent();
    }
}
