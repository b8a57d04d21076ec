package dev.nodepath.cni;

import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import java.util.List;
import java.util.Optional;

/** What an ADD made, apart from the version in which it is told: see {@link ResultEncoder}. */
public record CniResult(List<Interface> interfaces, List<Ip> ips, List<PodRoute> routes, Dns dns) {

    /** Makes the lists immutable. */
    public CniResult {
        interfaces = List.copyOf(interfaces);
        ips = List.copyOf(ips);
        routes = List.copyOf(routes);
    }

    /**
     * A link.
     *
     * @param mac its hardware address; empty if it has none
     * @param mtu in bytes
     * @param sandbox path of the container's namespace; empty for a link of the node
     */
    public record Interface(String name, String mac, int mtu, String sandbox) {}

    /**
     * An address.
     *
     * @param interfaceIndex which of {@link #interfaces} has it
     */
    public record Ip(int interfaceIndex, Cidr address, Optional<IpAddress> gateway) {}
}
