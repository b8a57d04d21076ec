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
 * @param source the address at the sender
 * @param to its destination
 * @param mode of the node that decides about it
 * @param there its hops, until a rule or a relay decides
 * @param ends its possible ends
 */
public record Walk(Host from, IpAddress source, WalkTarget to, ProxyMode mode, List<Hop> there, List<End> ends) {
    public Walk {
        there = List.copyOf(there);
        ends = List.copyOf(ends);
    }

    /** Whether its sender may get no response. */
    public boolean mayBeSilent() {
        return ends.stream().anyMatch(End::isSilent);
    }

    /**
     * One end of the way.
     *
     * @param verdict what becomes of the packet
     * @param probability 0 to 1
     * @param name of the receiver; empty if there is none
     * @param address where it arrives
     * @param port there
     * @param seen the source on arrival at the last node; empty if the packet does not come there
     * @param way its hops until the decision: those of {@link Walk#there} that lead to this end
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

        /** Whether a receiver gets the packet. */
        public boolean reaches() {
            return !name.isEmpty();
        }

        /** Whether the sender gets no response, not even a refusal. */
        public boolean isSilent() {
            return !reaches() && verdict != Trace.Verdict.REJECT;
        }
    }
}
