package dev.nodepath.apiserver.validation;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Addresses that no endpoint and no Service can have. */
final class SpecialAddresses {
    private static final Map<String, List<Cidr>> RANGES = new LinkedHashMap<>();

    static {
        add("may not be unspecified (0.0.0.0 or ::)", "0.0.0.0/32", "::/128");
        add("may not be in the loopback range (127.0.0.0/8, ::1/128)", "127.0.0.0/8", "::1/128");
        add("may not be in the link-local range (169.254.0.0/16, fe80::/10)", "169.254.0.0/16", "fe80::/10");
        add("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)", "224.0.0.0/24", "ff02::/16");
    }

    private SpecialAddresses() {}

    static void complain(ObjectField field, IpAddress address) {
        RANGES.forEach((why, ranges) -> {
            if (ranges.stream().anyMatch(range -> range.contains(address))) {
                field.invalid(why);
            }
        });
    }

    private static void add(String why, String... prefixes) {
        RANGES.put(why, Arrays.stream(prefixes).map(Cidr::parse).toList());
    }
}
