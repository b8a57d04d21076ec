package dev.nodepath.cni.addresses;

import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.result.Dns;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Where the addresses of one call's container come from. */
public interface Ipam extends AddressRelease {

    /**
     * Gives the container its addresses.
     *
     * @param again whether the container has its link already
     */
    Result add(boolean again) throws CniException, IOException;

    /** Checks that the container's addresses are its own. */
    void check() throws CniException, IOException;

    /** Checks that addresses can be given. */
    void status() throws CniException, IOException;

    /** An address with the prefix length of its network. */
    record Address(Cidr address, Optional<IpAddress> gateway) {}

    /**
     * What a container gets.
     *
     * @param fresh whether it got them by this call
     */
    record Result(List<Address> addresses, List<PodRoute> routes, Dns dns, boolean fresh) {
        /** Nothing, for a container that has a link alone. */
        public static final Result NONE = new Result(List.of(), List.of(), Dns.NONE, false);

        public Result {
            addresses = List.copyOf(addresses);
            routes = List.copyOf(routes);
        }
    }
}
