package dev.nodepath.apiserver.validation;

import dev.nodepath.linux.address.IpFamily;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Nodes, Leases, ServiceCIDRs, PriorityClasses and NetworkPolicies. */
final class ClusterValidation {
    private static final int FAMILIES_MAX = 2;
    private static final String SYSTEM = "system-";
    private static final Map<String, Integer> SYSTEM_PRIORITIES =
            Map.of("system-node-critical", 2_000_001_000, "system-cluster-critical", 2_000_000_000);
    private static final int PRIORITY_MAX = 1_000_000_000;

    private ClusterValidation() {}

    static void node(ObjectField node, Optional<ObjectField> before) {
        Set<String> taints = new HashSet<>();
        for (ObjectField taint : node.at("spec").at("taints").items()) {
            ObjectField key = taint.at("key");
            MetadataValidation.qualified(key, key.text());
            NameFormat.LABEL_VALUE.check(taint.at("value"));
            ObjectField effect = taint.at("effect");
            if (effect.require("")) {
                effect.oneOf("NoSchedule", "PreferNoSchedule", "NoExecute");
            }
            if (!taints.add(key.text() + ":" + effect.text())) {
                taint.duplicate();
            }
        }
        ObjectField ranges = node.at("spec").at("podCIDRs");
        ranges.items().forEach(CommonValidation::cidr);
        before.map(old -> old.at("spec").at("podCIDRs"))
                .filter(old -> old.isSet() && !old.value().equals(ranges.value()))
                .ifPresent(old -> ranges.forbidden("node updates may not change podCIDR except from \"\" to valid"));
    }

    static void lease(ObjectField lease) {
        ObjectField duration = lease.at("spec").at("leaseDurationSeconds");
        if (duration.isPresent() && duration.number() <= 0) {
            duration.invalid("must be greater than 0");
        }
        lease.at("spec").at("leaseTransitions").notNegative();
    }

    static void priorityClass(ObjectField object, Optional<ObjectField> before) {
        ObjectField value = object.at("value");
        String name = object.at("metadata").at("name").text();
        if (name.startsWith(SYSTEM)) {
            String problem = systemProblem(name, object);
            if (!problem.isEmpty()) {
                object.at("metadata")
                        .at("name")
                        .forbidden("priority class names with '" + SYSTEM
                                + "' prefix are reserved for system use only. error: " + problem);
            }
        } else if (value.number() > PRIORITY_MAX) {
            value.forbidden("maximum allowed value of a user defined priority is " + PRIORITY_MAX);
        }
        object.at("preemptionPolicy").oneOf("PreemptLowerPriority", "Never");
        before.ifPresent(old -> {
            if (value.number() != old.at("value").number()) {
                value.forbidden("may not be changed in an update.");
            }
            CommonValidation.immutable(object.at("preemptionPolicy"), old.at("preemptionPolicy"));
        });
    }

    private static String systemProblem(String name, ObjectField object) {
        Integer value = SYSTEM_PRIORITIES.get(name);
        if (value == null) {
            return name + " is not a known system priority class";
        } else if (object.at("value").number() != value) {
            return "value of " + name + " PriorityClass must be " + value;
        }
        return object.at("globalDefault").value().asBoolean()
                ? "globalDefault of " + name + " PriorityClass must be false"
                : "";
    }

    static void serviceCidr(ObjectField object, Optional<ObjectField> before) {
        ObjectField cidrs = object.at("spec").at("cidrs");
        if (before.isPresent()) {
            CommonValidation.immutable(cidrs, before.get().at("spec").at("cidrs"));
            return;
        }
        cidrs.require("at least one CIDR required");
        if (cidrs.items().size() > FAMILIES_MAX) {
            cidrs.invalid("may only hold up to 2 values");
            return;
        }
        Set<IpFamily> families = new HashSet<>();
        for (ObjectField cidr : cidrs.items()) {
            CommonValidation.cidr(cidr);
            Addresses.parseNetwork(cidr.text())
                    .filter(prefix -> !families.add(prefix.family()))
                    .ifPresent(
                            prefix -> cidrs.invalid(
                                    "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"));
        }
    }

    static void networkPolicy(ObjectField policy) {
        ObjectField spec = policy.at("spec");
        CommonValidation.selector(spec.at("podSelector"));
        spec.at("policyTypes").items().forEach(each -> each.oneOf("Egress", "Ingress"));
        rules(spec.at("ingress"), "from");
        rules(spec.at("egress"), "to");
    }

    private static void rules(ObjectField rules, String peers) {
        for (ObjectField rule : rules.items()) {
            for (ObjectField port : rule.at("ports").items()) {
                CommonValidation.protocol(port.at("protocol"));
                if (port.at("port").isPresent()) {
                    CommonValidation.portReference(port.at("port"));
                }
            }
            for (ObjectField peer : rule.at(peers).items()) {
                if (peer.names().isEmpty()) {
                    peer.required("must specify a peer");
                } else if (peer.at("ipBlock").isPresent() && peer.names().size() > 1) {
                    peer.forbidden("may not specify both ipBlock and another peer");
                }
                CommonValidation.selector(peer.at("podSelector"));
                CommonValidation.selector(peer.at("namespaceSelector"));
                if (peer.at("ipBlock").isPresent()
                        && peer.at("ipBlock").at("cidr").require("")) {
                    CommonValidation.cidr(peer.at("ipBlock").at("cidr"));
                }
            }
        }
    }
}
