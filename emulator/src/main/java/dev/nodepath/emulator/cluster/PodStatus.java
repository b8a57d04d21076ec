package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.topology.PodSpec;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.List;
import java.util.Optional;

/**
 * A running pod.
 *
 * @param spec what was asked for
 * @param addresses what the CNI plugin gave it, one of each family
 * @param serving whether its probe passes
 * @param terminating whether it is being ended
 */
public record PodStatus(PodSpec spec, List<IpAddress> addresses, boolean serving, boolean terminating) {
    /** Copies the list. */
    public PodStatus {
        addresses = List.copyOf(addresses);
    }

    /** A pod that nobody ends. */
    PodStatus(PodSpec spec, List<IpAddress> addresses, boolean serving) {
        this(spec, addresses, serving, false);
    }

    /** Whether its probe passes and it is not terminating. */
    public boolean ready() {
        return serving && !terminating;
    }

    /** The pod's first address. */
    public IpAddress address() {
        return addresses.get(0);
    }

    /** The pod's address of a family. */
    public Optional<IpAddress> address(IpFamily family) {
        return addresses.stream().filter(address -> address.family() == family).findFirst();
    }
}
