package dev.nodepath.proxy.nftables.trace;

import dev.nodepath.linux.address.IpAddress;
import java.util.Set;

/** The addresses of this host: those of its links, and all loopback addresses. */
record LocalAddresses(Set<IpAddress> ofLinks) {
    LocalAddresses {
        ofLinks = Set.copyOf(ofLinks);
    }

    boolean contains(IpAddress address) {
        return address.isLoopback() || ofLinks.contains(address);
    }
}
