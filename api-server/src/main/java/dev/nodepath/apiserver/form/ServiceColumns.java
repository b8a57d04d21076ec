package dev.nodepath.apiserver.form;

import static dev.nodepath.apiserver.form.Column.age;
import static dev.nodepath.apiserver.form.Column.objectName;
import static dev.nodepath.apiserver.form.Column.text;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

final class ServiceColumns {
    static final List<Column> ALL = List.of(
            objectName(),
            text("Type", Cells.field("spec", "type")),
            text("Cluster-IP", Cells.field("spec", "clusterIP")),
            text("External-IP", ServiceColumns::externalIp),
            text("Port(s)", ServiceColumns::ports),
            age(),
            text("Selector", object -> LabelText.of(object.path("spec").path("selector")))
                    .onlyWide());

    private ServiceColumns() {}

    private static String externalIp(JsonNode service) {
        JsonNode spec = service.path("spec");
        List<String> all = new ArrayList<>();
        switch (spec.path("type").asText("ClusterIP")) {
            case "ExternalName" -> all.add(spec.path("externalName").asText(""));
            case "LoadBalancer" -> {
                for (JsonNode each : service.path("status").path("loadBalancer").path("ingress")) {
                    all.add(each.path("ip").asText(each.path("hostname").asText("")));
                }
                spec.path("externalIPs").forEach(each -> all.add(each.asText()));
                if (all.isEmpty()) {
                    return "<pending>";
                }
            }
            default -> spec.path("externalIPs").forEach(each -> all.add(each.asText()));
        }
        return Cells.orNone(String.join(",", all));
    }

    private static String ports(JsonNode service) {
        List<String> all = new ArrayList<>();
        for (JsonNode port : service.path("spec").path("ports")) {
            long node = port.path("nodePort").asLong(0);
            all.add(port.path("port").asText() + (node == 0 ? "" : ":" + node) + "/"
                    + port.path("protocol").asText("TCP"));
        }
        return Cells.orNone(String.join(",", all));
    }
}
