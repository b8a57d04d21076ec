package dev.nodepath.linux.conntrack;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.Optional;

/**
 * Which tracked flows are listed. The kernel picks them where it can: by protocol and destination since Linux 5.8, by answer
 * since a later one. An older kernel lists more, and the rest is left out here.
 *
 * @param family of both addresses
 * @param protocol as in the IP header: 6 is TCP, 17 UDP
 * @param destination where the first packet was sent; empty for anywhere
 * @param unansweredOnly whether flows that a packet has come back on are left out
 */
public record FlowFilter(IpFamily family, int protocol, Optional<IpAddress> destination, boolean unansweredOnly) {

    /** All flows of a family and protocol. */
    public static FlowFilter of(IpFamily family, int protocol) {
        return new FlowFilter(family, protocol, Optional.empty(), false);
    }

    /** Of these, the ones to one address. */
    public FlowFilter to(IpAddress address) {
        return new FlowFilter(family, protocol, Optional.of(address), unansweredOnly);
    }

    /** Of these, the ones that nobody has answered. */
    public FlowFilter unanswered() {
        return new FlowFilter(family, protocol, destination, true);
    }

    /** Whether a flow is among them. */
    public boolean accepts(ConntrackFlow flow) {
        IpAddress sentTo = flow.original().destination();
        return sentTo.family() == family
                && flow.protocol() == protocol
                && destination.map(sentTo::equals).orElse(true)
                && !(unansweredOnly && flow.answered());
    }

    @Override
    public String toString() {
        return family + " " + protocol
                + destination.map(address -> " to " + address).orElse("") + (unansweredOnly ? " unanswered" : "");
    }
}
