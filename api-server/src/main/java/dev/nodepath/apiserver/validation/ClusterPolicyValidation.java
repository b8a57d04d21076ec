package dev.nodepath.apiserver.validation;

import dev.nodepath.apiserver.ClusterPolicyDefinition;

/** ClusterNetworkPolicies: the schema of their definition, and its rules of CEL. */
final class ClusterPolicyValidation {
    private static final String OBJECT = "object";

    private ClusterPolicyValidation() {}

    static void validate(ObjectField policy) {
        SchemaValidation.validate(ClusterPolicyDefinition.schema(), policy);
        ObjectField spec = policy.at("spec");
        for (ObjectField rule : spec.at("ingress").items()) {
            ranges(rule);
        }
        for (ObjectField rule : spec.at("egress").items()) {
            ranges(rule);
            egress(rule);
        }
    }

    private static void ranges(ObjectField rule) {
        for (ObjectField entry : rule.at("protocols").items()) {
            for (String protocol : new String[] {"tcp", "udp", "sctp"}) {
                ObjectField range = entry.at(protocol).at("destinationPort").at("range");
                if (range.isPresent()
                        && range.at("start").number() >= range.at("end").number()) {
                    range.invalid(OBJECT, "Start port must be less than End port");
                }
            }
        }
    }

    private static void egress(ObjectField rule) {
        boolean outside = false;
        for (ObjectField peer : rule.at("to").items()) {
            outside |= peer.at("networks").isPresent()
                    || peer.at("nodes").isPresent()
                    || peer.at("domainNames").isPresent();
            for (ObjectField network : peer.at("networks").items()) {
                if (Addresses.parseNetwork(network.text()).isEmpty()) {
                    network.invalid("string", "Invalid CIDR format provided");
                }
            }
        }
        boolean named = rule.at("protocols").items().stream()
                .anyMatch(entry -> entry.at("destinationNamedPort").isPresent());
        if (outside && named) {
            rule.invalid(
                    OBJECT,
                    "networks/nodes/domainNames peer cannot be set with namedPorts since there are no"
                            + " namedPorts for networks/nodes/domainNames");
        }
    }
}
