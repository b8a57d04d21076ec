package dev.nodepath.apiserver.form;

import static dev.nodepath.apiserver.form.Column.age;
import static dev.nodepath.apiserver.form.Column.number;
import static dev.nodepath.apiserver.form.Column.objectName;
import static dev.nodepath.apiserver.form.Column.text;
import static java.util.Map.entry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The columns of each kind, in the order of Kubernetes 1.36. */
final class Columns {
    private static final List<Column> WORKLOAD_DETAILS = List.of(
            text("Containers", object -> containers(object, "name")).onlyWide(),
            text("Images", object -> containers(object, "image")).onlyWide());
    private static final Column SELECTOR = text(
                    "Selector", object -> LabelText.selector(object.path("spec").path("selector")))
            .onlyWide();

    private static final List<Column> WORKLOAD_DETAILS_AND_SELECTOR = joined(WORKLOAD_DETAILS, List.of(SELECTOR));

    private static final Map<Resource, List<Column>> OF_KIND = Map.ofEntries(
            entry(Resources.PODS, PodColumns.ALL),
            entry(Resources.NODES, NodeColumns.ALL),
            entry(Resources.SERVICES, ServiceColumns.ALL),
            entry(Resources.EVENTS, EventColumns.ALL),
            entry(Resources.NAMESPACES, List.of(objectName(), text("Status", Cells.field("status", "phase")), age())),
            entry(Resources.ENDPOINTS, List.of(objectName(), text("Endpoints", EndpointColumns::subsets), age())),
            entry(
                    Resources.ENDPOINT_SLICES,
                    List.of(
                            objectName(),
                            text("AddressType", Cells.field("addressType")),
                            text("Ports", EndpointColumns::ports),
                            text("Endpoints", EndpointColumns::addresses),
                            age())),
            entry(
                    Resources.CONFIG_MAPS,
                    List.of(
                            objectName(),
                            number(
                                    "Data",
                                    object -> (long) object.path("data").size()
                                            + object.path("binaryData").size()),
                            age())),
            entry(
                    Resources.SECRETS,
                    List.of(
                            objectName(),
                            text("Type", Cells.field("type")),
                            number("Data", object -> (long) object.path("data").size()),
                            age())),
            entry(
                    Resources.SERVICE_ACCOUNTS,
                    List.of(
                            objectName(),
                            number("Secrets", object ->
                                    (long) object.path("secrets").size()),
                            age())),
            entry(
                    Resources.LEASES,
                    List.of(objectName(), text("Holder", Cells.field("spec", "holderIdentity")), age())),
            entry(
                    Resources.DEPLOYMENTS,
                    joined(
                            List.of(
                                    objectName(),
                                    text("Ready", object -> ready(object, "readyReplicas")),
                                    count("Up-to-date", "status", "updatedReplicas"),
                                    count("Available", "status", "availableReplicas"),
                                    age()),
                            WORKLOAD_DETAILS_AND_SELECTOR)),
            entry(
                    Resources.REPLICA_SETS,
                    joined(
                            List.of(
                                    objectName(),
                                    count("Desired", "spec", "replicas"),
                                    count("Current", "status", "replicas"),
                                    count("Ready", "status", "readyReplicas"),
                                    age()),
                            WORKLOAD_DETAILS_AND_SELECTOR)),
            entry(
                    Resources.STATEFUL_SETS,
                    joined(
                            List.of(objectName(), text("Ready", object -> ready(object, "readyReplicas")), age()),
                            WORKLOAD_DETAILS)),
            entry(
                    Resources.DAEMON_SETS,
                    joined(
                            List.of(
                                    objectName(),
                                    count("Desired", "status", "desiredNumberScheduled"),
                                    count("Current", "status", "currentNumberScheduled"),
                                    count("Ready", "status", "numberReady"),
                                    count("Up-to-date", "status", "updatedNumberScheduled"),
                                    count("Available", "status", "numberAvailable"),
                                    text(
                                            "Node Selector",
                                            object -> LabelText.of(object.path("spec")
                                                    .path("template")
                                                    .path("spec")
                                                    .path("nodeSelector"))),
                                    age()),
                            WORKLOAD_DETAILS_AND_SELECTOR)),
            entry(
                    Resources.CONTROLLER_REVISIONS,
                    List.of(
                            objectName(),
                            text("Controller", Columns::controller),
                            number("Revision", object -> object.path("revision").asLong(0)),
                            age())),
            entry(
                    Resources.SERVICE_CIDRS,
                    List.of(
                            objectName(),
                            text(
                                    "CIDRs",
                                    object -> Cells.list(object.path("spec").path("cidrs"))),
                            age())),
            entry(
                    Resources.JOBS,
                    joined(
                            JobColumns.all(),
                            List.of(
                                    text("Containers", object -> containers(object, "name"))
                                            .onlyWide(),
                                    text("Images", object -> containers(object, "image"))
                                            .onlyWide(),
                                    text(
                                                    "Selector",
                                                    object -> LabelText.selector(
                                                            object.path("spec").path("selector")))
                                            .onlyWide()))),
            Map.entry(
                    Resources.CUSTOM_RESOURCE_DEFINITIONS,
                    List.of(objectName(), text("Created At", Cells.field("metadata", "creationTimestamp")))),
            Map.entry(
                    Resources.SCALES,
                    List.of(
                            objectName(),
                            count("Desired", "spec", "replicas"),
                            count("Available", "status", "replicas"),
                            age())),
            Map.entry(
                    Resources.NETWORK_POLICIES,
                    List.of(
                            objectName(),
                            text(
                                    "Pod-Selector",
                                    object -> LabelText.selector(
                                            object.path("spec").path("podSelector"))),
                            age())));

    private static final String AGE = "Age";
    private static final String NO_AGE = "Age -";

    private Columns() {}

    /**
     * The columns of a kind.
     *
     * @param declared the columns of a CustomResourceDefinition, if there is one
     */
    static List<Column> of(Resource resource, Optional<JsonNode> declared) {
        return declared.map(CustomColumns::of).orElseGet(() -> builtIn(resource));
    }

    private static List<Column> builtIn(Resource resource) {
        return Optional.ofNullable(OF_KIND.get(resource)).orElseGet(() -> {
            List<String> lines = Resources.columns(resource);
            List<Column> columns = new ArrayList<>();
            if (lines.stream().noneMatch(each -> each.startsWith("Name "))) {
                columns.add(objectName());
            }
            lines.stream()
                    .filter(each -> !each.equals(NO_AGE))
                    .map(each -> each.equals(AGE) ? age() : DataColumns.of(each))
                    .forEach(columns::add);
            if (!lines.contains(AGE) && !lines.contains(NO_AGE)) {
                columns.add(age());
            }
            return columns;
        });
    }

    private static Column count(String name, String... path) {
        return number(name, object -> Cells.at(object, path).asLong(0));
    }

    private static String ready(JsonNode object, String field) {
        return object.path("status").path(field).asLong(0) + "/"
                + object.path("spec").path("replicas").asLong(0);
    }

    private static String containers(JsonNode object, String field) {
        List<String> all = new ArrayList<>();
        object.path("spec")
                .path("template")
                .path("spec")
                .path("containers")
                .forEach(each -> all.add(each.path(field).asText()));
        return String.join(",", all);
    }

    private static String controller(JsonNode object) {
        for (JsonNode owner : object.path("metadata").path("ownerReferences")) {
            if (owner.path("controller").asBoolean()) {
                String apiVersion = owner.path("apiVersion").asText();
                int slash = apiVersion.indexOf('/');
                return owner.path("kind").asText().toLowerCase(Locale.ROOT)
                        + (slash < 0 ? "" : "." + apiVersion.substring(0, slash)) + "/"
                        + owner.path("name").asText();
            }
        }
        return Cells.NONE;
    }

    private static List<Column> joined(List<Column> first, List<Column> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }
}
