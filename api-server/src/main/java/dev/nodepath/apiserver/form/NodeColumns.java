package dev.nodepath.apiserver.form;

import static dev.nodepath.apiserver.form.Column.age;
import static dev.nodepath.apiserver.form.Column.objectName;
import static dev.nodepath.apiserver.form.Column.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.ConditionList;
import java.util.List;
import java.util.TreeSet;

final class NodeColumns {
    private static final String ROLE = "node-role.kubernetes.io/";

    static final List<Column> ALL = List.of(
            objectName(),
            text("Status", NodeColumns::status),
            text("Roles", NodeColumns::roles),
            age(),
            text("Version", node -> info(node, "kubeletVersion", "")),
            text("Internal-IP", node -> address(node, "InternalIP")).onlyWide(),
            text("External-IP", node -> address(node, "ExternalIP")).onlyWide(),
            text("OS-Image", node -> info(node, "osImage", "<unknown>")).onlyWide(),
            text("Kernel-Version", node -> info(node, "kernelVersion", "<unknown>"))
                    .onlyWide(),
            text("Container-Runtime", node -> info(node, "containerRuntimeVersion", "<unknown>"))
                    .onlyWide());

    private NodeColumns() {}

    private static String status(JsonNode node) {
        String ready = ConditionList.find(node, "Ready")
                .map(condition -> condition.path("status").asText().equals("True") ? "Ready" : "NotReady")
                .orElse("Unknown");
        return ready + (node.path("spec").path("unschedulable").asBoolean() ? ",SchedulingDisabled" : "");
    }

    private static String roles(JsonNode node) {
        TreeSet<String> roles = new TreeSet<>();
        node.path("metadata").path("labels").properties().forEach(label -> {
            if (label.getKey().startsWith(ROLE) && label.getKey().length() > ROLE.length()) {
                roles.add(label.getKey().substring(ROLE.length()));
            }
        });
        return Cells.orNone(String.join(",", roles));
    }

    private static String info(JsonNode node, String field, String otherwise) {
        String value = node.path("status").path("nodeInfo").path(field).asText("");
        return value.isEmpty() ? otherwise : value;
    }

    private static String address(JsonNode node, String type) {
        for (JsonNode each : node.path("status").path("addresses")) {
            if (each.path("type").asText().equals(type)) {
                return each.path("address").asText();
            }
        }
        return "<none>";
    }
}
