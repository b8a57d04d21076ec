package dev.nodepath.cni.ipam;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import java.util.Optional;

/**
 * A route of a container.
 *
 * @param destination a network
 * @param gateway the next hop; empty for the gateway of the container's own address
 */
public record PodRoute(Cidr destination, Optional<IpAddress> gateway, RouteOptions options) {

    /** Checks that the destination has no host bits. The kernel would refuse them. */
    public PodRoute {
        if (!destination.isNetwork()) {
            throw new IllegalArgumentException(
                    "\"" + destination + "\" (expected: a network address such as " + destination.network() + ")");
        }
    }

    /** The default route of the gateway's family. */
    public static PodRoute defaultVia(IpAddress gateway) {
        return new PodRoute(Route.defaultVia(gateway, 0).destination(), Optional.of(gateway), RouteOptions.DEFAULT);
    }

    /** Whether it is a default route. */
    public boolean isDefault() {
        return destination.prefixLength() == 0;
    }
}
