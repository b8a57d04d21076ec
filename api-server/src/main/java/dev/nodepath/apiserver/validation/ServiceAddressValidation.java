package dev.nodepath.apiserver.validation;

import dev.nodepath.linux.address.IpAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The addresses of a Service and their families. */
final class ServiceAddressValidation {
    private static final int FAMILIES_MAX = 2;
    private static final String TWO = "may only hold up to 2 values";
    private static final String FIXED = "may not change once set";
    private static final String NONE = "None";

    private final ObjectField spec;
    private final List<ObjectField> addresses;
    private final List<ObjectField> families;

    private ServiceAddressValidation(ObjectField spec) {
        this.spec = spec;
        this.addresses = spec.at("clusterIPs").items();
        this.families = spec.at("ipFamilies").items();
    }

    static void validate(ObjectField spec, Optional<ObjectField> before) {
        if (isExternalName(spec)) {
            return;
        }
        ServiceAddressValidation validation = new ServiceAddressValidation(spec);
        validation.families();
        validation.addresses();
        before.filter(old -> !isExternalName(old)).ifPresent(validation::unchanged);
    }

    private static boolean isExternalName(ObjectField spec) {
        return spec.at("type").text().equals("ExternalName");
    }

    private void families() {
        spec.at("ipFamilyPolicy").oneOf("PreferDualStack", "RequireDualStack", "SingleStack");
        if (families.size() > FAMILIES_MAX) {
            spec.at("ipFamilies").invalid(TWO);
        }
        Set<String> seen = new HashSet<>();
        for (ObjectField family : families) {
            if (!Set.of("IPv4", "IPv6").contains(family.text())) {
                family.unsupported(List.of("IPv4", "IPv6"));
            } else if (!seen.add(family.text())) {
                family.duplicate();
            }
        }
    }

    private void addresses() {
        if (addresses.size() > FAMILIES_MAX) {
            spec.at("clusterIPs").invalid(TWO);
        }
        if (!addresses.isEmpty()
                && !addresses.get(0).text().equals(spec.at("clusterIP").text())) {
            spec.at("clusterIPs").invalid("first value must match `clusterIP`");
        }
        boolean headless = !addresses.isEmpty() && addresses.get(0).text().equals(NONE);
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < addresses.size(); i++) {
            ObjectField address = addresses.get(i);
            Optional<IpAddress> ip = Addresses.parse(address.text());
            if (headless && i == 0) {
                continue;
            }
            if (ip.isEmpty() || headless) {
                if (headless) {
                    address.invalid("'None' must be the first and only value");
                } else {
                    CommonValidation.ip(address);
                }
            } else if (i < families.size()
                    && !families.get(i).text().equals(ip.get().family().toString())) {
                address.invalid(
                        "expected an " + families.get(i).text() + " value as indicated by `ipFamilies[" + i + "]`");
            } else if (!seen.add(ip.get().family().toString())) {
                spec.at("clusterIPs").invalid("may specify no more than one IP for each IP family");
            }
        }
    }

    private void unchanged(ObjectField before) {
        List<String> old = before.at("clusterIPs").texts();
        List<String> oldFamilies = before.at("ipFamilies").texts();
        for (int i = 0; i < Math.min(old.size(), addresses.size()); i++) {
            if (!old.get(i).equals(addresses.get(i).text())) {
                addresses.get(i).showing(spec.at("clusterIPs").value()).invalid(FIXED);
            }
        }
        for (int i = 0; i < Math.min(oldFamilies.size(), families.size()); i++) {
            if (!oldFamilies.get(i).equals(families.get(i).text())) {
                families.get(i).showing(spec.at("ipFamilies").value()).invalid(FIXED);
            }
        }
    }
}
