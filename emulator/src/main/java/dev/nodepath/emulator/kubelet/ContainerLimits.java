package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.validation.Quantities;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.OptionalLong;

/**
 * How much a container may use ({@code resources.limits}).
 *
 * @param memory in octets; empty for as much as there is
 * @param cpu in thousandths of a processor; empty for as much as there is
 */
record ContainerLimits(OptionalLong memory, OptionalLong cpu) {
    /** No limit. */
    static final ContainerLimits NONE = new ContainerLimits(OptionalLong.empty(), OptionalLong.empty());

    private static final BigDecimal MAX = BigDecimal.valueOf(Long.MAX_VALUE / 1000);

    /** Those of a container in a manifest. As in Kubernetes, a limit of 0 is none. */
    static ContainerLimits of(JsonNode container) {
        JsonNode limits = container.path("resources").path("limits");
        return new ContainerLimits(
                number(limits.path("memory"), BigDecimal.ONE), number(limits.path("cpu"), BigDecimal.valueOf(1000)));
    }

    private static OptionalLong number(JsonNode quantity, BigDecimal factor) {
        return Quantities.parse(quantity.asText(""))
                .map(amount -> amount.multiply(factor).setScale(0, RoundingMode.CEILING))
                .filter(amount -> amount.signum() > 0)
                .map(amount -> OptionalLong.of(amount.min(MAX).longValueExact()))
                .orElse(OptionalLong.empty());
    }
}
