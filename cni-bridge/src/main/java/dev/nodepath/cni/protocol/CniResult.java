package dev.nodepath.cni.protocol;

import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The result of an ADD, independent of the CNI version: see {@link ResultEncoder} and {@link ResultParser}. */
public record CniResult(List<Interface> interfaces, List<Ip> ips, List<PodRoute> routes, Dns dns) {

    public CniResult {
        interfaces = List.copyOf(interfaces);
        ips = List.copyOf(ips);
        routes = List.copyOf(routes);
    }

    /**
     * A link.
     *
     * @param mac its hardware address; empty if it has none
     * @param mtu in bytes; 0 if unknown
     * @param sandbox path of the container's namespace; empty for a link of the node
     * @param socketPath of an interface that is a socket; empty for others
     * @param pciId of an interface that is a device; empty for others
     */
    public record Interface(String name, String mac, int mtu, String sandbox, String socketPath, String pciId) {
        /** An interface without a socket path and PCI ID. */
        public Interface(String name, String mac, int mtu, String sandbox) {
            this(name, mac, mtu, sandbox, "", "");
        }
    }

    /**
     * An address.
     *
     * @param interfaceIndex the index in {@link #interfaces}; empty if unknown
     */
    public record Ip(Optional<Integer> interfaceIndex, Cidr address, Optional<IpAddress> gateway) {}

    /** This result appended to the result of the earlier plugins in the chain. */
    public CniResult after(CniResult previous) {
        int shift = previous.interfaces.size();
        List<Interface> allInterfaces = new ArrayList<>(previous.interfaces);
        allInterfaces.addAll(interfaces);
        List<Ip> allIps = new ArrayList<>(previous.ips);
        for (Ip ip : ips) {
            allIps.add(new Ip(ip.interfaceIndex().map(index -> index + shift), ip.address(), ip.gateway()));
        }
        List<PodRoute> allRoutes = new ArrayList<>(previous.routes);
        allRoutes.addAll(routes);
        return new CniResult(allInterfaces, allIps, allRoutes, dns.isEmpty() ? previous.dns : dns);
    }
}
