package dev.nodepath.cni;

import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.Dns;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The source of the addresses of one call's container. */
interface Ipam extends AddressRelease {

    /**
     * Gives the container its addresses.
     *
     * @param again whether the container already has its link
     */
    Result add(boolean again) throws CniException, IOException;

    /** Checks that the container holds its addresses. */
    void check() throws CniException, IOException;

    /** Checks that addresses can be allocated. */
    void status() throws CniException, IOException;

    /** An address with the prefix length of its network. */
    record Address(Cidr address, Optional<IpAddress> gateway) {}

    /**
     * The addresses and settings of a container.
     *
     * @param fresh whether this call allocated them
     */
    record Result(List<Address> addresses, List<PodRoute> routes, Dns dns, boolean fresh) {
        /** No addresses, for a container with a bare link. */
        static final Result NONE = new Result(List.of(), List.of(), Dns.NONE, false);

        public Result {
            addresses = List.copyOf(addresses);
            routes = List.copyOf(routes);
        }
    }
}
