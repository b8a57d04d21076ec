package dev.nodepath.emulator.walk;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.List;
import java.util.Optional;

/**
 * A sender or receiver of packets.
 *
 * @param kind its place in the cluster
 * @param name for people; a Pod in {@code default} has no namespace in it
 * @param node the node that it is on; empty for the client outside
 * @param addresses of it, the first of each family counts
 */
public record Host(Kind kind, String name, String node, List<IpAddress> addresses) {
    /** The place of a host in the cluster. */
    public enum Kind {
        /** In a network namespace of its own, behind a bridge. */
        POD,
        /** A process in the network of a node. */
        NODE,
        /** The client outside the cluster. */
        OUTSIDE
    }

    public Host {
        addresses = List.copyOf(addresses);
    }

    Optional<IpAddress> address(IpFamily family) {
        return addresses.stream().filter(each -> each.family() == family).findFirst();
    }

    boolean isPodOn(String other) {
        return kind == Kind.POD && node.equals(other);
    }
}
