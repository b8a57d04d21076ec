package dev.nodepath.apiserver.validation;

import com.fasterxml.jackson.databind.node.TextNode;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

final class ServiceValidation {
    private static final int AFFINITY_SECONDS_MAX = 86_400;
    private static final String LOAD_BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'";

    private final ObjectField spec;
    private final String type;
    private final boolean headless;

    private ServiceValidation(ObjectField spec) {
        this.spec = spec;
        this.type = spec.at("type").text();
        this.headless = spec.at("clusterIP").text().equals("None");
    }

    static void validate(ObjectField service, Optional<ObjectField> before) {
        ServiceValidation validation = new ServiceValidation(service.at("spec"));
        validation.ports();
        validation.type();
        ServiceAddressValidation.validate(service.at("spec"), before.map(old -> old.at("spec")));
        validation.affinity();
        MetadataValidation.labels(service.at("spec").at("selector"));
        validation.traffic();
        before.ifPresent(old -> validation.loadBalancerClass(old.at("spec")));
    }

    private boolean isLoadBalancer() {
        return type.equals("LoadBalancer");
    }

    private boolean hasNodePorts() {
        return type.equals("NodePort") || isLoadBalancer();
    }

    private void ports() {
        List<ObjectField> ports = spec.at("ports").items();
        if (ports.isEmpty() && !headless && !type.equals("ExternalName")) {
            spec.at("ports").required("");
        }
        for (ObjectField port : ports) {
            ObjectField name = port.at("name");
            if (name.isSet()) {
                NameFormat.LABEL.check(name);
            } else if (ports.size() > 1) {
                name.required("");
            }
            CommonValidation.port(port.at("port"));
            CommonValidation.protocol(port.at("protocol"));
            CommonValidation.portReference(port.at("targetPort"));
            if (port.at("appProtocol").isSet()) {
                port.at("appProtocol")
                        .invalid(NameFormat.qualifiedProblems(
                                port.at("appProtocol").text()));
            }
            if (port.at("nodePort").number() != 0 && type.equals("ClusterIP")) {
                port.at("nodePort").forbidden("may not be used when `type` is 'ClusterIP'");
            }
        }
        CommonValidation.unique(ports, "name");
        uniquePorts(ports);
    }

    private static void uniquePorts(List<ObjectField> ports) {
        Set<String> seen = new HashSet<>();
        Set<String> nodePorts = new HashSet<>();
        for (ObjectField port : ports) {
            String protocol = port.at("protocol").text();
            if (!seen.add(protocol + port.at("port").number())) {
                port.duplicate(
                        "{\"port\":" + port.at("port").number() + ",\"protocol\":" + GoText.quote(protocol) + "}");
            }
            ObjectField nodePort = port.at("nodePort");
            if (nodePort.number() != 0 && !nodePorts.add(protocol + nodePort.number())) {
                nodePort.duplicate();
            }
        }
    }

    private void type() {
        spec.at("type").require("");
        spec.at("type").oneOf("ClusterIP", "ExternalName", "LoadBalancer", "NodePort");
        if (hasNodePorts() && headless) {
            spec.at("clusterIPs")
                    .items()
                    .forEach(each -> each.invalid("may not be set to 'None' for " + type + " services"));
        }
        if (type.equals("ExternalName")) {
            externalName();
        }
        if (!isLoadBalancer()) {
            for (String field :
                    List.of("allocateLoadBalancerNodePorts", "loadBalancerClass", "loadBalancerSourceRanges")) {
                if (spec.at(field).isSet()) {
                    spec.at(field).forbidden(LOAD_BALANCER_ONLY);
                }
            }
        }
        for (ObjectField range : spec.at("loadBalancerSourceRanges").items()) {
            CommonValidation.cidr(range.showing(TextNode.valueOf(range.text().trim())));
        }
    }

    private void externalName() {
        for (String field : List.of("clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
            if (spec.at(field).isSet()) {
                spec.at(field).forbidden("may not be set for ExternalName services");
            }
        }
        ObjectField name = spec.at("externalName");
        if (name.require("")) {
            // A final dot is allowed.
            NameFormat.SUBDOMAIN
                    .problems(name.text().replaceFirst("\\.$", ""))
                    .forEach(why -> name.invalid(name.text(), why));
        }
    }

    private void affinity() {
        ObjectField affinity = spec.at("sessionAffinity");
        affinity.require("");
        affinity.oneOf("ClientIP", "None");
        ObjectField config = spec.at("sessionAffinityConfig");
        ObjectField timeout = config.at("clientIP").at("timeoutSeconds");
        if (affinity.text().equals("ClientIP") && (timeout.number() <= 0 || timeout.number() > AFFINITY_SECONDS_MAX)) {
            timeout.invalid("must be greater than 0 and less than " + AFFINITY_SECONDS_MAX);
        }
    }

    private void traffic() {
        ObjectField external = spec.at("externalTrafficPolicy");
        boolean reachable = hasNodePorts()
                || (type.equals("ClusterIP") && spec.at("externalIPs").isSet());
        if (external.isSet() && !reachable) {
            external.invalid("may only be set for externally-accessible services");
        } else {
            external.oneOf("Cluster", "Local");
        }
        spec.at("internalTrafficPolicy").oneOf("Cluster", "Local");
        spec.at("trafficDistribution").oneOf("PreferClose", "PreferSameNode", "PreferSameZone");
        ObjectField health = spec.at("healthCheckNodePort");
        if (health.number() != 0 && !(isLoadBalancer() && external.text().equals("Local"))) {
            health.invalid("may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
        }
        for (ObjectField address : spec.at("externalIPs").items()) {
            CommonValidation.ip(address);
            Addresses.parse(address.text()).ifPresent(ip -> SpecialAddresses.complain(address, ip));
        }
    }

    private void loadBalancerClass(ObjectField before) {
        if (isLoadBalancer()
                && before.at("type").text().equals(type)
                && !spec.at("loadBalancerClass")
                        .text()
                        .equals(before.at("loadBalancerClass").text())) {
            spec.at("loadBalancerClass").invalid("may not change once set");
        }
    }
}
