package dev.nodepath.apiserver.validation;

import dev.nodepath.linux.address.IpAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** EndpointSlices and Endpoints. */
final class EndpointValidation {
    private static final int ENDPOINTS_MAX = 1000;
    private static final int PORTS_MAX = 20_000;
    private static final int ADDRESSES_MAX = 100;

    private EndpointValidation() {}

    static void slice(ObjectField slice, Optional<ObjectField> before) {
        ObjectField type = slice.at("addressType");
        if (type.require("")) {
            type.oneOf("FQDN", "IPv4", "IPv6");
        }
        before.ifPresent(old -> CommonValidation.immutable(type, old.at("addressType")));
        if (slice.at("endpoints").items().size() > ENDPOINTS_MAX) {
            slice.at("endpoints").tooMany(ENDPOINTS_MAX);
            return;
        }
        for (ObjectField endpoint : slice.at("endpoints").items()) {
            endpoint(endpoint, type.text());
        }
        slicePorts(slice.at("ports"));
    }

    private static void endpoint(ObjectField endpoint, String type) {
        ObjectField addresses = endpoint.at("addresses");
        if (addresses.require("must contain at least 1 address")
                && addresses.items().size() > ADDRESSES_MAX) {
            addresses.tooMany(ADDRESSES_MAX);
            return;
        }
        for (ObjectField address : addresses.items()) {
            switch (type) {
                case "FQDN" -> NameFormat.SUBDOMAIN.check(address);
                case "IPv4", "IPv6" -> address(address, type);
                default -> {}
            }
        }
        NameFormat.LABEL.checkIfSet(endpoint.at("hostname"));
        NameFormat.SUBDOMAIN.checkIfSet(endpoint.at("nodeName"));
    }

    private static void address(ObjectField field, String family) {
        Optional<IpAddress> ip = Addresses.parse(field.text());
        if (ip.isEmpty()) {
            CommonValidation.ip(field);
        } else if (!ip.get().family().toString().equals(family)) {
            field.invalid("must be an " + family + " address");
        } else {
            SpecialAddresses.complain(field, ip.get());
        }
    }

    private static void slicePorts(ObjectField ports) {
        if (ports.items().size() > PORTS_MAX) {
            ports.tooMany(PORTS_MAX);
            return;
        }
        Set<String> names = new HashSet<>();
        for (ObjectField port : ports.items()) {
            if (port.at("name").isSet()) {
                NameFormat.LABEL.check(port.at("name"));
            }
            if (!names.add(port.at("name").text())) {
                port.at("name").duplicate();
            }
            CommonValidation.protocol(port.at("protocol"));
            if (port.at("appProtocol").isSet()) {
                MetadataValidation.qualified(
                        port.at("appProtocol"), port.at("appProtocol").text());
            }
        }
    }

    static void endpoints(ObjectField endpoints) {
        for (ObjectField subset : endpoints.at("subsets").items()) {
            if (!subset.at("addresses").isSet()
                    && !subset.at("notReadyAddresses").isSet()) {
                subset.required("must specify `addresses` or `notReadyAddresses`");
            }
            for (String list : List.of("addresses", "notReadyAddresses")) {
                for (ObjectField address : subset.at(list).items()) {
                    ObjectField field = address.at("ip");
                    CommonValidation.ip(field);
                    Addresses.parse(field.text()).ifPresent(ip -> SpecialAddresses.complain(field, ip));
                    NameFormat.LABEL.checkIfSet(address.at("hostname"));
                }
            }
            List<ObjectField> ports = subset.at("ports").items();
            for (ObjectField port : ports) {
                if (ports.size() > 1 && !port.at("name").isSet()) {
                    port.at("name").required("");
                }
                NameFormat.LABEL.checkIfSet(port.at("name"));
                CommonValidation.port(port.at("port"));
                CommonValidation.protocol(port.at("protocol"));
            }
        }
    }
}
