package dev.nodepath.cni;

import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Is told of a container's addresses before it gets them. Several threads may tell at once. */
@FunctionalInterface
public interface AddressGate {
    /** Lets every container pass. */
    AddressGate OPEN = (network, args, mark, addresses) -> Passage.OPEN;

    /**
     * Tells that a container is about to be reachable at these addresses. Does not wait.
     *
     * @param network the name of the network
     * @param args the pairs of {@code CNI_ARGS}
     * @param mark the file that is there while policies are in force; empty if the configuration names none
     */
    Passage announce(String network, Map<String, String> args, Optional<Path> mark, List<IpAddress> addresses);

    /**
     * Tells that addresses of containers are about to become free: their links are gone, but no other container has
     * got the addresses yet.
     *
     * @param network the name of the network
     */
    default void release(String network, Held held) throws IOException {}

    /** The addresses that containers have. To find them reads files. */
    @FunctionalInterface
    interface Held {
        /** Finds the held addresses. */
        Set<IpAddress> addresses() throws IOException;
    }

    /** The way of one container through the gate. */
    interface Passage {
        /** A passage that lets everything through. */
        Passage OPEN = new Passage() {
            @Override
            public void await() {}

            @Override
            public void withdraw() {}
        };

        /**
         * Returns when the container may be reached at its addresses.
         *
         * @throws CniException if it may not; the ADD fails with it
         */
        void await() throws CniException;

        /** The container does not get its addresses after all. */
        void withdraw();
    }
}
