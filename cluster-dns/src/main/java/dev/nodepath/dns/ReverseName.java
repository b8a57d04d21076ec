package dev.nodepath.dns;

import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.Optional;

/** Names of the reverse zones: an address written backwards, in decimal (RFC 1035) or in nibbles (RFC 3596). */
final class ReverseName {
    static final DomainName IPV4 = DomainName.of("in-addr.arpa");
    static final DomainName IPV6 = DomainName.of("ip6.arpa");
    private static final int IPV4_LABELS = 4;
    private static final int IPV6_LABELS = 32;
    private static final int NIBBLES_OF_A_GROUP = 4;

    private ReverseName() {}

    static Optional<DomainName> zone(DomainName name) {
        return name.isWithin(IPV4) ? Optional.of(IPV4) : name.isWithin(IPV6) ? Optional.of(IPV6) : Optional.empty();
    }

    /** Whether a name of a reverse zone is too short for an address, so that it only has names below it. */
    static boolean isAbove(DomainName zone, DomainName name) {
        return name.size() - zone.size() < (zone.equals(IPV4) ? IPV4_LABELS : IPV6_LABELS);
    }

    static Optional<IpAddress> address(DomainName zone, DomainName name) {
        List<String> labels = name.folded().subList(0, name.size() - zone.size());
        boolean ipv4 = zone.equals(IPV4);
        if (labels.size() != (ipv4 ? IPV4_LABELS : IPV6_LABELS)) {
            return Optional.empty();
        }
        if (labels.stream().anyMatch(each -> each.isEmpty() || each.length() > (ipv4 ? 3 : 1))) {
            return Optional.empty();
        }
        return parse(backwards(labels, ipv4));
    }

    private static String backwards(List<String> labels, boolean ipv4) {
        StringBuilder text = new StringBuilder();
        for (int i = labels.size() - 1; i >= 0; i--) {
            text.append(labels.get(i));
            if (i > 0 && (ipv4 || i % NIBBLES_OF_A_GROUP == 0)) {
                text.append(ipv4 ? '.' : ':');
            }
        }
        return text.toString();
    }

    static Optional<IpAddress> parse(String text) {
        try {
            return Optional.of(IpAddress.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
