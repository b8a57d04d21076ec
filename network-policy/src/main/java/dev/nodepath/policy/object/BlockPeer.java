package dev.nodepath.policy.object;

import dev.nodepath.linux.address.AddressRange;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;

/**
 * Addresses of a network, of any owner ({@code ipBlock}).
 *
 * @param network with host bits zero
 * @param excepts networks of the same family whose addresses are left out
 */
public record BlockPeer(Cidr network, List<Cidr> excepts) implements Peer {
    public BlockPeer {
        excepts = List.copyOf(excepts);
    }

    /** The remaining addresses, in order. */
    public List<AddressRange> counted() {
        return AddressRange.without(network, excepts);
    }

    /** Whether an address is in the network and not left out. */
    public boolean contains(IpAddress address) {
        return network.contains(address) && excepts.stream().noneMatch(except -> except.contains(address));
    }
}
