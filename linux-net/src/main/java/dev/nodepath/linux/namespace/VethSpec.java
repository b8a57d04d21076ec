package dev.nodepath.linux.namespace;

import dev.nodepath.linux.address.MacAddress;
import java.util.Optional;

/**
 * A veth pair to be made, each end in its namespace.
 *
 * @param name of the near end, 1 to 15 characters
 * @param mac of the near end; empty leaves it to the kernel
 * @param peerName of the far end
 * @param peerNamespace the namespace of the far end
 * @param mtu of both ends, in bytes, 68 to 65535; empty leaves the kernel's default of 1500
 */
public record VethSpec(
        String name,
        Optional<MacAddress> mac,
        String peerName,
        NetworkNamespace peerNamespace,
        Optional<Integer> mtu) {}
