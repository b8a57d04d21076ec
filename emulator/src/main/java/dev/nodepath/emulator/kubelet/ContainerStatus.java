package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * A container at one moment.
 *
 * @param role its part in the Pod
 * @param name its name
 * @param ready whether it is ready
 * @param begun whether it runs or has run
 * @param exitCode if it has ended and does not start again
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

    /** Whether an init container lets the next container start: it is done, or a sidecar that has started. */
    boolean lets() {
        return isSidecar()
                ? entry.path("started").asBoolean()
                : exitCode.filter(code -> code == 0).isPresent();
    }
}
