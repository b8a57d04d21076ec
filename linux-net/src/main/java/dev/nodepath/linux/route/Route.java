package dev.nodepath.linux.route;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.Optional;

/**
 * A unicast route of the main table.
 *
 * @param destination the network; {@code 0.0.0.0/0} or {@code ::/0} for the default route
 * @param gateway the next hop; empty if the destination is on the link
 * @param linkIndex the link it leaves through; 0 lets the kernel find it from the gateway
 */
public record Route(Cidr destination, Optional<IpAddress> gateway, int linkIndex) {

    /** The default route of the gateway's family. */
    public static Route defaultVia(IpAddress gateway, int linkIndex) {
        IpAddress any = IpAddress.of(new byte[gateway.family().bits() / 8]);
        return new Route(new Cidr(any, 0), Optional.of(gateway), linkIndex);
    }
}
