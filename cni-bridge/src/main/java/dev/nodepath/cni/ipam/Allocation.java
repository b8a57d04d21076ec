package dev.nodepath.cni.ipam;

import java.util.List;

/**
 * The addresses of a container's interface, one of each range set, in the order of the sets.
 *
 * @param fresh whether this call took any of them
 */
public record Allocation(List<RangeSet.Candidate> addresses, boolean fresh) {

    public Allocation {
        addresses = List.copyOf(addresses);
    }
}
