package dev.nodepath.apiserver.validation;

import com.fasterxml.jackson.databind.node.IntNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Checks that several kinds share: ports, addresses, counts, selectors. */
final class CommonValidation {
    private static final int PORT_MAX = 65_535;
    private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");
    private static final String IP_RULE = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    private static final String CIDR_RULE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

    private CommonValidation() {}

    static void port(ObjectField port) {
        port.between(1, PORT_MAX);
    }

    /** A port by number or by name. */
    static void portReference(ObjectField port) {
        if (port.value().isTextual()) {
            port.invalid(NameFormat.portNameProblems(port.text()));
        } else {
            port(port);
        }
    }

    static void protocol(ObjectField protocol) {
        if (protocol.require("") && !PROTOCOLS.contains(protocol.text())) {
            protocol.unsupported(PROTOCOLS);
        }
    }

    static void ip(ObjectField ip) {
        if (Addresses.parse(ip.text()).isEmpty()) {
            ip.invalid(IP_RULE);
        }
    }

    static void cidr(ObjectField cidr) {
        if (Addresses.parseNetwork(cidr.text()).isEmpty()) {
            cidr.invalid(CIDR_RULE);
        }
    }

    /** Complains about each value that an earlier item has. */
    static void unique(List<ObjectField> items, String field) {
        Set<String> seen = new HashSet<>();
        for (ObjectField item : items) {
            ObjectField value = item.at(field);
            if (value.isSet() && !seen.add(value.text())) {
                value.duplicate();
            }
        }
    }

    /** A count, or a share of a count as a percentage. */
    static void countOrPercent(ObjectField field) {
        if (!field.isPresent()) {
            return;
        }
        if (!field.value().isTextual()) {
            field.notNegative();
        } else if (!field.text().matches("[0-9]+%")) {
            field.invalid("a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or"
                    + " '93%', regex used for validation is '[0-9]+%')");
        }
    }

    static void percentAtMost100(ObjectField field) {
        if (field.value().isTextual() && field.text().matches("[0-9]{4,}%|[2-9][0-9]{2}%|1(0[1-9]|[1-9][0-9])%")) {
            field.invalid("must not be greater than 100%");
        }
    }

    /** Whether a count or a share is zero. */
    static boolean isZero(ObjectField field) {
        return field.value().isTextual() ? field.text().matches("0+%") : field.number() == 0;
    }

    static void immutable(ObjectField field, ObjectField before) {
        if (!field.value().equals(before.value())) {
            field.invalid("field is immutable");
        }
    }

    static ObjectField zeroIfAbsent(ObjectField field) {
        return field.isPresent() ? field : field.showing(IntNode.valueOf(0));
    }

    /** A selector of labels with its expressions. */
    static void selector(ObjectField selector) {
        MetadataValidation.labels(selector.at("matchLabels"));
        for (ObjectField expression : selector.at("matchExpressions").items()) {
            operator(expression);
            ObjectField key = expression.at("key");
            key.invalid(NameFormat.qualifiedProblems(key.text()));
            expression.at("values").items().forEach(NameFormat.LABEL_VALUE::check);
        }
    }

    /** The operator of a selector's expression, and the number of its values. */
    static void operator(ObjectField expression) {
        ObjectField values = expression.at("values");
        switch (expression.at("operator").text()) {
            case "In", "NotIn" -> values.require("must be specified when `operator` is 'In' or 'NotIn'");
            case "Exists", "DoesNotExist" -> {
                if (values.isSet()) {
                    values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
                }
            }
            default -> expression.at("operator").invalid("not a valid selector operator");
        }
    }
}
