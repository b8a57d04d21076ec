package dev.nodepath.cni;

import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.Map;

/** Is asked before a container gets its addresses. Several threads may ask at once. */
@FunctionalInterface
public interface AddressGate {
    /** Lets every container pass. */
    AddressGate OPEN = (network, args, addresses) -> {};

    /**
     * Returns when the container may be reached at these addresses.
     *
     * @param network the name of the network
     * @param args the pairs of {@code CNI_ARGS}
     * @throws CniException if it may not; the ADD fails with it
     */
    void pass(String network, Map<String, String> args, List<IpAddress> addresses) throws CniException;
}
