package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * A container as it was at one moment.
 *
 * @param name its name
 * @param ready whether it is ready
 * @param begun whether it runs or has run
 * @param exitCode if it has ended and is not started again
 * @param entry its entry in {@code containerStatuses}
 */
record ContainerStatus(String name, boolean ready, boolean begun, Optional<Integer> exitCode, ObjectNode entry) {}
