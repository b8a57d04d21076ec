package dev.nodepath.apiserver.validation;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.Optional;

/** Reads addresses as Kubernetes does: no leading zeros, no zone, no IPv4 address within an IPv6 one. */
public final class Addresses {
    private Addresses() {}

    /** The address that a text is; empty if it is none. */
    public static Optional<IpAddress> parse(String text) {
        try {
            return Optional.of(IpAddress.parse(text)).filter(address -> address.equals(address.unmapped()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** The network that a text such as 10.96.0.0/12 is, without host bits; empty if it is none. */
    public static Optional<Cidr> parseNetwork(String text) {
        try {
            Cidr network = Cidr.parse(text);
            return text.endsWith("/" + network.prefixLength())
                            && network.address().equals(network.address().unmapped())
                    ? Optional.of(network.network())
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
