package dev.nodepath.apiserver.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.schema.FieldType;
import dev.nodepath.apiserver.schema.Schema;
import dev.nodepath.apiserver.schema.StructType;
import dev.nodepath.apiserver.validation.Quantities;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Fields that this cluster stores but does not act on, in words for their author. The file {@code obeyed.txt} lists
 * them.
 */
final class IgnoredFields {
    /** The kinds whose specs this cluster acts on. */
    static final Set<String> KINDS = Set.of(
            "Pod",
            "Deployment",
            "ReplicaSet",
            "StatefulSet",
            "DaemonSet",
            "Job",
            "Service",
            "PersistentVolume",
            "PersistentVolumeClaim");

    private static final String RESOURCES = "core.v1.ResourceRequirements";
    private static final Pattern POD_SECURITY = Pattern.compile("pod-security\\.kubernetes\\.io/(enforce|audit|warn)");
    private static final Set<String> LIMITS = Set.of("cpu", "memory");

    private final List<String> warnings = new ArrayList<>();

    private IgnoredFields() {}

    static List<String> of(Resource resource, JsonNode object) {
        if (resource.equals(Resources.NAMESPACES)) {
            return labels(object);
        }
        if (!Resources.isBuiltIn(resource) || !KINDS.contains(resource.kind())) {
            return List.of();
        }
        IgnoredFields ignored = new IgnoredFields();
        FieldType spec = Schema.kubernetes().of(resource).fields().get("spec");
        if (spec != null) {
            ignored.look(spec, object.path("spec"), "spec");
        }
        if (isSet(object.path("spec").path("loadBalancerClass"))) {
            ignored.warnings.add("spec.loadBalancerClass: this cluster has no load balancer of that class");
        }
        if (resource.equals(Resources.PERSISTENT_VOLUME_CLAIMS) && grows(object)) {
            ignored.warnings.add("spec.resources.requests.storage: volumes of this cluster keep their size");
        }
        return ignored.warnings;
    }

    private static boolean grows(JsonNode claim) {
        return Quantities.parse(claim.at("/status/capacity/storage").asText(""))
                .filter(size -> size.compareTo(requested(claim)) < 0)
                .isPresent();
    }

    /** The requested size of a claim. */
    static BigDecimal requested(JsonNode claim) {
        return Quantities.parse(claim.at("/spec/resources/requests/storage").asText(""))
                .orElse(BigDecimal.ZERO);
    }

    /** The Pod Security Standards of a namespace's labels (KEP-2579), except the one that allows everything. */
    private static List<String> labels(JsonNode namespace) {
        return namespace.path("metadata").path("labels").properties().stream()
                .filter(label -> POD_SECURITY.matcher(label.getKey()).matches()
                        && !label.getValue().asText().equals("privileged"))
                .map(label -> "metadata.labels[" + label.getKey() + "]: this cluster ignores this label")
                .toList();
    }

    private void look(FieldType type, JsonNode value, String path) {
        if (!type.isStruct() || type.container() == FieldType.Container.MAP) {
            return;
        }
        StructType struct = Schema.kubernetes().type(type.element()).orElseThrow();
        if (type.container() == FieldType.Container.ONE) {
            lookInto(struct, value, path);
            return;
        }
        for (int i = 0; i < value.size(); i++) {
            lookInto(struct, value.path(i), path + "[" + i + "]");
        }
    }

    private void lookInto(StructType type, JsonNode object, String path) {
        if (type.name().equals(RESOURCES)) {
            object.path("limits").properties().stream()
                    .map(Map.Entry::getKey)
                    .filter(limit -> !LIMITS.contains(limit))
                    .forEach(limit -> warnings.add(path + ".limits[" + limit + "]: this cluster ignores this limit"));
        }
        Map<String, String> ignored = Known.IGNORED.getOrDefault(type.name(), Map.of());
        object.properties().forEach(field -> {
            if (isRequestOfLimits(type, field, object)) {
                return;
            }
            String at = path + "." + field.getKey();
            String when = ignored.get(field.getKey());
            FieldType inner = type.fields().get(field.getKey());
            if (when != null
                    && (when.isEmpty()
                            ? isSet(field.getValue())
                            : when.equals(field.getValue().asText()))) {
                warnings.add(at + ": this cluster ignores this field");
            } else if (inner != null && when == null) {
                look(inner, field.getValue(), at);
            }
        });
    }

    /** Kubernetes takes limits for absent requests. */
    private static boolean isRequestOfLimits(StructType type, Map.Entry<String, JsonNode> field, JsonNode object) {
        return type.name().equals(RESOURCES)
                && field.getKey().equals("requests")
                && field.getValue().properties().stream()
                        .allMatch(request ->
                                request.getValue().equals(object.path("limits").path(request.getKey())));
    }

    /** Whether a value has an effect. */
    private static boolean isSet(JsonNode value) {
        return !(value.isMissingNode()
                || value.isNull()
                || (value.isContainerNode() && value.isEmpty())
                || (value.isBoolean() && !value.booleanValue())
                || value.asText().matches("0+%?"));
    }

    /** The file. It is read when the first object comes. */
    private static final class Known {
        /** By type and field: the only ignored value, or empty if all values are ignored. */
        static final Map<String, Map<String, String>> IGNORED = read();

        private static Map<String, Map<String, String>> read() {
            Map<String, Map<String, String>> ignored = new HashMap<>();
            String type = "";
            for (String line : lines()) {
                if (line.startsWith("- ")) {
                    for (String field : line.substring(2).split(" ", -1)) {
                        int value = field.indexOf('=');
                        ignored.computeIfAbsent(type, missing -> new HashMap<>())
                                .put(
                                        value < 0 ? field : field.substring(0, value),
                                        value < 0 ? "" : field.substring(value + 1));
                    }
                } else if (!line.startsWith("+ ")) {
                    type = line;
                }
            }
            return ignored;
        }
    }

    /** The lines of the file without comments and blanks. */
    static List<String> lines() {
        try (InputStream in = IgnoredFields.class.getResourceAsStream("obeyed.txt")) {
            if (in == null) {
                throw new IllegalStateException("missing resource obeyed.txt");
            }
            return new String(in.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
