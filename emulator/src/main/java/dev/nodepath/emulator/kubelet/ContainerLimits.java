package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.validation.Quantities;
import dev.nodepath.controllers.object.PodSpec;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.OptionalLong;

/**
 * How much a container may use ({@code resources.limits}).
 *
 * @param memory in octets; empty for no limit
 * @param cpu in thousandths of a processor; empty for no limit
 */
record ContainerLimits(OptionalLong memory, OptionalLong cpu) {
    /** No limit. */
    static final ContainerLimits NONE = new ContainerLimits(OptionalLong.empty(), OptionalLong.empty());

    private static final BigDecimal MAX = BigDecimal.valueOf(Long.MAX_VALUE / 1000);

    /** The limits of a container in a manifest. As in Kubernetes, a limit of 0 is none. */
    static ContainerLimits of(JsonNode container) {
        JsonNode limits = container.path("resources").path("limits");
        return new ContainerLimits(
                number(limits.path("memory"), BigDecimal.ONE), number(limits.path("cpu"), BigDecimal.valueOf(1000)));
    }

    /** The memory that all containers of a Pod may use; empty if one of them has no limit. */
    static OptionalLong memory(JsonNode pod) {
        long together = 0;
        long first = 0;
        for (String list : List.of("containers", "initContainers")) {
            for (JsonNode container : pod.path("spec").path(list)) {
                OptionalLong memory = of(container).memory();
                if (memory.isEmpty()) {
                    return memory;
                }
                if (list.equals("containers") || PodSpec.isSidecar(container)) {
                    together += memory.getAsLong();
                } else {
                    first = Math.max(first, memory.getAsLong());
                }
            }
        }
        return OptionalLong.of(Math.max(together, first));
    }

    private static OptionalLong number(JsonNode quantity, BigDecimal factor) {
        return Quantities.parse(quantity.asText(""))
                .map(amount -> amount.multiply(factor).setScale(0, RoundingMode.CEILING))
                .filter(amount -> amount.signum() > 0)
                .map(amount -> OptionalLong.of(amount.min(MAX).longValueExact()))
                .orElse(OptionalLong.empty());
    }
}
