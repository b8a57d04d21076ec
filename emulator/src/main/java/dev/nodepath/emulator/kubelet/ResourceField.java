package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.nodepath.apiserver.validation.Quantities;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;

/** A resource of a container as a number ({@code resourceFieldRef}). */
final class ResourceField {
    private ResourceField() {}

    /**
     * The amount divided by the divisor, rounded up. Without a limit it is the node's amount.
     *
     * @param reference {@code resource}, such as {@code limits.memory}, and {@code divisor}
     * @param own the container's name, if the reference has none
     * @param node its Node, if there is one
     */
    static String value(JsonNode pod, JsonNode reference, String own, JsonNode node) {
        JsonNode container = container(pod, reference.path("containerName").asText(own));
        String resource = reference.path("resource").asText();
        int dot = resource.indexOf('.');
        String kind = resource.substring(0, Math.max(dot, 0));
        String name = resource.substring(dot + 1);
        JsonNode amount = container.path("resources").path(kind).path(name);
        if (amount.isMissingNode() && kind.equals("limits")) {
            amount = node.path("status").path("allocatable").path(name);
        }
        BigDecimal divisor = number(reference.path("divisor"));
        return number(amount)
                .divide(divisor.signum() == 0 ? BigDecimal.ONE : divisor, 0, RoundingMode.CEILING)
                .toPlainString();
    }

    private static BigDecimal number(JsonNode quantity) {
        return Quantities.parse(quantity.asText("")).orElse(BigDecimal.ZERO);
    }

    private static JsonNode container(JsonNode pod, String name) {
        for (String list : List.of("containers", "initContainers")) {
            for (JsonNode container : pod.path("spec").path(list)) {
                if (container.path("name").asText().equals(name)) {
                    return container;
                }
            }
        }
        return MissingNode.getInstance();
    }
}
