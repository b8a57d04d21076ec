package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.validation.Quantities;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The class of a Pod, from the requests and limits of its containers. */
final class QualityOfService {
    private static final List<String> RESOURCES = List.of("cpu", "memory");

    private QualityOfService() {}

    static String of(JsonNode spec) {
        List<ObjectNode> containers = new ArrayList<>(Absent.items(spec.path("containers")));
        containers.addAll(Absent.items(spec.path("initContainers")));
        boolean any = false;
        boolean all = true;
        for (ObjectNode container : containers) {
            for (String resource : RESOURCES) {
                Optional<BigDecimal> request = amount(container, "requests", resource);
                Optional<BigDecimal> limit = amount(container, "limits", resource);
                any |= request.isPresent() || limit.isPresent();
                all &= limit.isPresent() && request.orElse(limit.get()).compareTo(limit.get()) == 0;
            }
        }
        return !any ? "BestEffort" : all ? "Guaranteed" : "Burstable";
    }

    /** An amount of zero counts as absent. */
    private static Optional<BigDecimal> amount(ObjectNode container, String kind, String resource) {
        return Quantities.parse(
                        container.path("resources").path(kind).path(resource).asText(""))
                .filter(amount -> amount.signum() != 0);
    }
}
