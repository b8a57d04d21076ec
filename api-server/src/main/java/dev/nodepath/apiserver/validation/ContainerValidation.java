package dev.nodepath.apiserver.validation;

import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The containers of a Pod. */
final class ContainerValidation {
    private static final String CONTAINERS = "containers";

    private static final String NOT_FOR_EPHEMERAL = "cannot be set for an Ephemeral Container";

    /** Fields that an ephemeral container must not have: nothing waits for it, and it has no resources of its own. */
    private static final List<String> NOT_EPHEMERAL = List.of(
            "ports", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "resources", "restartPolicy");

    private static final Set<String> RESOURCES = Set.of("cpu", "memory", "ephemeral-storage");

    /** Further resources that a namespace's quota counts. */
    private static final Set<String> QUOTAS = Set.of(
            "requests.cpu",
            "requests.memory",
            "requests.ephemeral-storage",
            "limits.cpu",
            "limits.memory",
            "limits.ephemeral-storage",
            "pods",
            "resourcequotas",
            "services",
            "replicationcontrollers",
            "secrets",
            "configmaps",
            "persistentvolumeclaims",
            "storage",
            "requests.storage",
            "services.nodeports",
            "services.loadbalancers");

    private final ObjectField spec;
    private final Optional<Set<String>> volumes;

    private ContainerValidation(ObjectField spec, Optional<Set<String>> volumes) {
        this.spec = spec;
        this.volumes = volumes;
    }

    /**
     * Checks all containers.
     *
     * @param spec of the Pod
     * @param volumes the names of its volumes; empty if the Pod gets further ones later
     */
    static void validate(ObjectField spec, Optional<Set<String>> volumes) {
        ContainerValidation validation = new ContainerValidation(spec, volumes);
        if (spec.at(CONTAINERS).require("")) {
            validation.containers();
        }
        validation.initContainers();
        validation.ephemeralContainers();
        validation.hostPorts();
    }

    private void containers() {
        for (ObjectField container : spec.at(CONTAINERS).items()) {
            common(container);
            lifecycle(container);
            if (container.at("restartPolicy").isSet()
                    && container.at("restartPolicyRules").value().isMissingNode()) {
                container.at("restartPolicy").oneOf("Always", "Never", "OnFailure");
            }
        }
        CommonValidation.unique(spec.at(CONTAINERS).items(), "name");
    }

    private void initContainers() {
        Set<String> names = names(CONTAINERS);
        for (ObjectField container : spec.at("initContainers").items()) {
            common(container);
            refuseDuplicate(container.at("name"), names);
            if (container.at("restartPolicy").text().equals("Always")) {
                lifecycle(container);
                continue;
            }
            for (String field : List.of("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")) {
                if (container.at(field).isPresent()) {
                    container.at(field).forbidden("may not be set for init containers without restartPolicy=Always");
                }
            }
        }
    }

    private void ephemeralContainers() {
        Set<String> targets = names(CONTAINERS);
        Set<String> names = names("initContainers");
        names.addAll(targets);
        for (ObjectField container : spec.at("ephemeralContainers").items()) {
            common(container);
            refuseDuplicate(container.at("name"), names);
            ObjectField target = container.at("targetContainerName");
            if (target.isSet() && !targets.contains(target.text())) {
                target.notFound();
            }
            for (String field : NOT_EPHEMERAL) {
                if (container.at(field).isSet()) {
                    container.at(field).forbidden(NOT_FOR_EPHEMERAL);
                }
            }
            for (ObjectField mount : container.at("volumeMounts").items()) {
                for (String field : List.of("subPath", "subPathExpr")) {
                    if (mount.at(field).isSet()) {
                        mount.at(field).forbidden(NOT_FOR_EPHEMERAL);
                    }
                }
            }
        }
    }

    private static void refuseDuplicate(ObjectField name, Set<String> others) {
        if (name.isSet() && !others.add(name.text())) {
            name.duplicate();
        }
    }

    private Set<String> names(String list) {
        Set<String> names = new HashSet<>();
        spec.at(list).items().forEach(each -> names.add(each.at("name").text()));
        return names;
    }

    private void common(ObjectField container) {
        if (container.at("name").require("")) {
            NameFormat.LABEL.check(container.at("name"));
        }
        ObjectField image = container.at("image");
        if (image.require("") && !image.text().equals(image.text().strip())) {
            image.invalid("must not have leading or trailing whitespace");
        }
        container.at("terminationMessagePolicy").oneOf("FallbackToLogsOnError", "File");
        ports(container.at("ports").items());
        EnvironmentValidation.validate(container);
        mounts(container);
        container.at("imagePullPolicy").oneOf("Always", "IfNotPresent", "Never");
        resources(container.at("resources"));
    }

    private static void ports(List<ObjectField> ports) {
        for (ObjectField port : ports) {
            ObjectField name = port.at("name");
            if (name.isSet()) {
                name.invalid(NameFormat.portNameProblems(name.text()));
            }
            if (port.at("containerPort").number() == 0) {
                port.at("containerPort").required("");
            } else {
                CommonValidation.port(port.at("containerPort"));
            }
            if (port.at("hostPort").number() != 0) {
                CommonValidation.port(port.at("hostPort"));
            }
            CommonValidation.protocol(port.at("protocol"));
        }
        CommonValidation.unique(ports, "name");
    }

    private void hostPorts() {
        boolean onHost = spec.at("hostNetwork").value().asBoolean(false);
        Set<String> seen = new HashSet<>();
        for (ObjectField container : spec.at(CONTAINERS).items()) {
            for (ObjectField port : container.at("ports").items()) {
                ObjectField host = port.at("hostPort");
                String key =
                        port.at("protocol").text() + "/" + port.at("hostIP").text() + "/" + host.number();
                if (host.number() != 0 && !seen.add(key)) {
                    host.duplicate(GoText.quote(key));
                }
                if (onHost
                        && host.number() != 0
                        && host.number() != port.at("containerPort").number()) {
                    host.invalid("must match `containerPort` when `hostNetwork` is true");
                }
            }
        }
    }

    private void mounts(ObjectField container) {
        Set<String> paths = new HashSet<>();
        for (ObjectField mount : container.at("volumeMounts").items()) {
            ObjectField name = mount.at("name");
            if (name.require("")
                    && volumes.filter(names -> !names.contains(name.text())).isPresent()) {
                name.notFound();
            }
            ObjectField path = mount.at("mountPath");
            if (path.require("") && !paths.add(path.text())) {
                path.invalid("must be unique");
            }
            if (mount.at("subPath").isSet() && mount.at("subPathExpr").isSet()) {
                mount.at("subPathExpr").invalid("subPathExpr and subPath are mutually exclusive");
            }
            VolumeValidation.localPath(mount.at("subPath"));
            VolumeValidation.localPath(mount.at("subPathExpr"));
        }
    }

    private static void lifecycle(ObjectField container) {
        ProbeValidation.handler(container.at("lifecycle").at("postStart"));
        ProbeValidation.handler(container.at("lifecycle").at("preStop"));
        ProbeValidation.validate(container);
    }

    private static void resources(ObjectField resources) {
        for (String kind : List.of("limits", "requests")) {
            ObjectField amounts = resources.at(kind);
            amounts.names().forEach(name -> resource(amounts.key(name), name));
        }
        for (String name : resources.at("requests").names()) {
            ObjectField request = resources.at("requests").key(name);
            ObjectField limit = resources.at("limits").key(name);
            Optional<BigDecimal> most = value(limit);
            if (most.isEmpty()) {
                if (!mayExceed(name)) {
                    resources.at("limits").required("Limit must be set for non overcommitable resources");
                }
                continue;
            }
            int above = value(request).map(each -> each.compareTo(most.get())).orElse(0);
            if (above > 0 || (above < 0 && !mayExceed(name))) {
                resources
                        .at("requests")
                        .showing(request.value())
                        .invalid((mayExceed(name) ? "must be less than or equal to " : "must be equal to ") + name
                                + " limit of " + limit.text());
            }
        }
    }

    private static void resource(ObjectField amount, String name) {
        if (NameFormat.qualifiedProblems(name).isEmpty()) {
            if (!name.contains("/") && !RESOURCES.contains(name) && !isHugePages(name)) {
                if (!QUOTAS.contains(name)) {
                    amount.invalid(name, "must be a standard resource type or fully qualified");
                }
                amount.invalid(name, "must be a standard resource for containers");
            } else if (!isNative(name) && name.startsWith("requests.")) {
                amount.invalid(name, "doesn't follow extended resource name standard");
            }
        } else {
            NameFormat.qualifiedProblems(name).forEach(why -> amount.invalid(name, why));
        }
        value(amount).ifPresent(number -> {
            if (number.signum() < 0) {
                amount.invalid("must be greater than or equal to 0");
            } else if (!isNative(name) && number.stripTrailingZeros().scale() > 0) {
                amount.invalid("must be an integer");
            }
        });
    }

    /** Whether a request may be below its limit: not for resources that a program of the user counts. */
    private static boolean mayExceed(String name) {
        return isNative(name) && !isHugePages(name);
    }

    private static boolean isNative(String name) {
        return !name.contains("/") || name.contains("kubernetes.io/");
    }

    private static boolean isHugePages(String name) {
        return name.startsWith("hugepages-");
    }

    private static Optional<BigDecimal> value(ObjectField amount) {
        return Quantities.parse(amount.text());
    }
}
