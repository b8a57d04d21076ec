package dev.nodepath.emulator.walk;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.Optional;

/**
 * The way of a packet.
 *
 * @param from its sender
 * @param source the address that it leaves with
 * @param to its destination
 * @param mode of the node that decides about it
 * @param there its hops, until a rule or a relay decides where it goes
 * @param ends where it can go
 */
public record Walk(Host from, IpAddress source, WalkTarget to, ProxyMode mode, List<Hop> there, List<End> ends) {
    public Walk {
        there = List.copyOf(there);
        ends = List.copyOf(ends);
    }

    /** Whether it may end so that its sender hears nothing. */
    public boolean mayBeSilent() {
        return ends.stream().anyMatch(End::isSilent);
    }

    /**
     * One end of the way.
     *
     * @param verdict what becomes of the packet
     * @param probability 0 to 1
     * @param name of the receiver; empty if nobody gets it
     * @param address where it arrives
     * @param port there
     * @param seen the source that it arrives with on the last node; empty if it does not come there
     * @param way its hops until the decision: of {@link Walk#there} those that lead here
     * @param there its hops after the decision
     * @param back the hops of the answer
     */
    public record End(
            Trace.Verdict verdict,
            double probability,
            String name,
            IpAddress address,
            int port,
            Optional<IpAddress> seen,
            List<Hop> way,
            List<Hop> there,
            List<Hop> back) {
        public End {
            way = List.copyOf(way);
            there = List.copyOf(there);
            back = List.copyOf(back);
        }

        /** Whether somebody gets the packet. */
        public boolean reaches() {
            return !name.isEmpty();
        }

        /** Whether the sender hears nothing, not even that it is refused. */
        public boolean isSilent() {
            return !reaches() && verdict != Trace.Verdict.REJECT;
        }
    }
}
