package dev.nodepath.linux.conntrack;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.Optional;

/**
 * Selects tracked flows. The kernel filters by protocol and destination since Linux 5.8, and by answer in later
 * versions. An older kernel lists more flows; this filter drops them.
 *
 * @param family of both addresses
 * @param protocol as in the IP header: 6 is TCP, 17 UDP
 * @param destination where the first packet was sent; empty for anywhere
 * @param unansweredOnly whether to leave out flows with an answer
 */
public record FlowFilter(IpFamily family, int protocol, Optional<IpAddress> destination, boolean unansweredOnly) {

    /** All flows of a family and protocol. */
    public static FlowFilter of(IpFamily family, int protocol) {
        return new FlowFilter(family, protocol, Optional.empty(), false);
    }

    /** A copy of this filter that selects only flows to one address. */
    public FlowFilter to(IpAddress address) {
        return new FlowFilter(family, protocol, Optional.of(address), unansweredOnly);
    }

    /** A copy of this filter that selects only flows without an answer. */
    public FlowFilter unanswered() {
        return new FlowFilter(family, protocol, destination, true);
    }

    /** Whether a flow matches. */
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
