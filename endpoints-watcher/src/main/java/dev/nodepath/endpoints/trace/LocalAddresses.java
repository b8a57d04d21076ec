package dev.nodepath.endpoints.trace;

import dev.nodepath.linux.address.IpAddress;
import java.util.Set;

/**
 * The addresses of this host: those of its links, and all loopback addresses.
 *
 * @param ofLinks the addresses of its links; loopback may be missing
 */
public record LocalAddresses(Set<IpAddress> ofLinks) {
    public LocalAddresses {
        ofLinks = Set.copyOf(ofLinks);
    }

    /** Whether this host has the address. */
    public boolean contains(IpAddress address) {
        return address.isLoopback() || ofLinks.contains(address);
    }
}
