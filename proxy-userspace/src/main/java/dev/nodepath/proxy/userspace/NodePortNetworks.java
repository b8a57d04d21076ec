package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import java.util.List;
import java.util.Optional;

/**
 * On which of the node's addresses node ports are served: kube-proxy's {@code --nodeport-addresses}.
 *
 * @param networks those that an address must be in; a family without a network has them on all addresses
 * @param primary instead, on the Node's own address of each family alone
 */
public record NodePortNetworks(List<Cidr> networks, boolean primary) {
    /** On all of them. */
    public static final NodePortNetworks ALL = new NodePortNetworks(List.of(), false);

    /** Copies the list. */
    public NodePortNetworks {
        networks = List.copyOf(networks);
    }

    /** Those of one family; empty if all addresses serve them. */
    List<Cidr> in(IpFamily family, Optional<IpAddress> node) {
        List<Cidr> wanted = primary ? node.stream().map(Cidr::single).toList() : networks;
        List<Cidr> own = wanted.stream().filter(cidr -> cidr.family() == family).toList();
        return own.stream().anyMatch(cidr -> cidr.prefixLength() == 0) ? List.of() : own;
    }
}
