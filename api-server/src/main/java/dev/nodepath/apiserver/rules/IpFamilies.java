package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.validation.Addresses;
import dev.nodepath.apiserver.validation.ObjectField;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The IP families of a Service: asked for, implied by its addresses, or those of the cluster. */
final class IpFamilies {
    private static final String POLICY = "ipFamilyPolicy";
    private static final String FAMILIES = "ipFamilies";
    private static final String CLUSTER_IPS = "clusterIPs";
    private static final String SINGLE = "SingleStack";
    private static final String REQUIRE = "RequireDualStack";

    private final List<String> available;
    private final ObjectField field;
    private final ObjectNode spec;
    private final Optional<JsonNode> old;

    /** @param field the Service's spec */
    IpFamilies(List<String> available, ObjectField field, Optional<ObjectNode> before) {
        this.available = available;
        this.field = field;
        this.spec = (ObjectNode) field.value();
        this.old = before.map(each -> each.path("spec"));
    }

    /** Completes policy and families; otherwise complains and returns false. */
    boolean complete() {
        if (spec.path(POLICY).asText("").isEmpty()) {
            spec.put(POLICY, defaultPolicy());
        }
        if (old.isPresent() && isSame(CLUSTER_IPS) && isSame(FAMILIES) && isSame(POLICY)) {
            return true;
        }
        return (old.isEmpty() || checkReduction())
                && checkPolicy()
                && inferFamilies()
                && complete(
                        ServiceKind.isHeadless(spec) && spec.path("selector").isEmpty());
    }

    private String defaultPolicy() {
        String before = old.map(each -> each.path(POLICY).asText("")).orElse("");
        boolean selectsNothing =
                ServiceKind.isHeadless(spec) && spec.path("selector").isEmpty();
        return !before.isEmpty() ? before : selectsNothing ? REQUIRE : SINGLE;
    }

    /** A client that removes the second family must also change the policy. */
    private boolean checkReduction() {
        if (policy().equals(SINGLE)) {
            if (isSame(CLUSTER_IPS)) {
                keepFirst(CLUSTER_IPS);
            }
            if (isSame(FAMILIES)) {
                keepFirst(FAMILIES);
            }
            return true;
        }
        boolean fits = true;
        if (isReduced(CLUSTER_IPS)) {
            field.at(POLICY).invalid("must be 'SingleStack' to release the secondary cluster IP");
            fits = false;
        }
        if (isReduced(FAMILIES)) {
            field.at(POLICY).invalid("must be 'SingleStack' to release the secondary IP family");
            fits = false;
        }
        return fits;
    }

    private boolean checkPolicy() {
        boolean two = spec.path(CLUSTER_IPS).size() == 2;
        boolean twoFamilies = spec.path(FAMILIES).size() == 2;
        String rule = "must be 'RequireDualStack' or 'PreferDualStack' when multiple ";
        if (policy().equals(SINGLE) && two) {
            field.at(POLICY).invalid(rule + "cluster IPs are specified");
        }
        if (policy().equals(SINGLE) && twoFamilies) {
            field.at(POLICY).invalid(rule + "IP families are specified");
        }
        return !policy().equals(SINGLE) || (!two && !twoFamilies);
    }

    /** An address implies its family. */
    private boolean inferFamilies() {
        boolean fits = true;
        List<ObjectField> addresses = field.at(CLUSTER_IPS).items();
        ArrayNode families = spec.withArrayProperty(FAMILIES);
        for (int i = families.size(); i < addresses.size() && !ServiceKind.isHeadless(spec); i++) {
            String family = Addresses.parse(addresses.get(i).text())
                    .map(address -> address.family().toString())
                    .orElse("");
            if (available.contains(family)) {
                families.add(family);
            } else {
                addresses.get(i).showing(spec.path(CLUSTER_IPS)).invalid(family + " is not configured on this cluster");
                fits = false;
            }
        }
        return fits;
    }

    private boolean complete(boolean selectsNothing) {
        ArrayNode families = spec.withArrayProperty(FAMILIES);
        boolean fits = true;
        if (!selectsNothing && policy().equals(REQUIRE) && available.size() < 2) {
            field.at(POLICY).invalid("this cluster is not configured for dual-stack services");
            fits = false;
        }
        for (ObjectField family : field.at(FAMILIES).items()) {
            if (!selectsNothing && !available.contains(family.text())) {
                family.invalid("not configured on this cluster");
                fits = false;
            }
        }
        if (families.isEmpty() && !available.isEmpty()) {
            families.add(available.get(0));
        }
        if (families.size() == 1 && !policy().equals(SINGLE) && (selectsNothing || available.size() == 2)) {
            families.add(families.get(0).asText().equals("IPv4") ? "IPv6" : "IPv4");
        }
        return fits;
    }

    private String policy() {
        return spec.path(POLICY).asText();
    }

    private boolean isSame(String list) {
        return old.map(each -> each.path(list)).filter(spec.path(list)::equals).isPresent();
    }

    private boolean isReduced(String list) {
        return old.map(each -> each.path(list).size()).orElse(0) == 2
                && spec.path(list).size() == 1;
    }

    private void keepFirst(String list) {
        List<JsonNode> items = new ArrayList<>();
        spec.path(list).forEach(items::add);
        if (items.size() > 1) {
            spec.putArray(list).add(items.get(0));
        }
    }
}
