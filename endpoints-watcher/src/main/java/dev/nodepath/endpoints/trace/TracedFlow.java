package dev.nodepath.endpoints.trace;

import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Packets that have met the same rules so far, at one place of their way.
 *
 * @param address where they go now
 * @param port the port there
 * @param probability their share of all such packets, 0 to 1
 * @param mark the bits of the packet mark
 * @param translated whether the destination was translated
 * @param masqueraded whether the receiver sees an address of this node instead of the sender's
 * @param verdict their outcome, as far as it is known
 * @param steps the rules that they met
 */
public record TracedFlow(
        IpAddress address,
        int port,
        double probability,
        int mark,
        boolean translated,
        boolean masqueraded,
        Trace.Verdict verdict,
        List<Trace.Step> steps) {
    public TracedFlow {
        steps = List.copyOf(steps);
    }

    /** All packets like this one, before any rule. */
    public static TracedFlow of(TracedPacket packet) {
        return new TracedFlow(
                packet.destination(), packet.port(), 1, 0, false, false, Trace.Verdict.UNTOUCHED, List.of());
    }

    /**
     * A part of them.
     *
     * @param share 0 to 1
     */
    public TracedFlow part(double share) {
        return new TracedFlow(address, port, probability * share, mark, translated, masqueraded, verdict, steps);
    }

    /** The same, after one more rule. */
    public TracedFlow after(Trace.Step step) {
        List<Trace.Step> all = new ArrayList<>(steps);
        all.add(step);
        return new TracedFlow(address, port, probability, mark, translated, masqueraded, verdict, all);
    }

    /** The same with this mark. */
    public TracedFlow withMark(int bits) {
        return new TracedFlow(address, port, probability, bits, translated, masqueraded, verdict, steps);
    }

    /** The same with another destination. */
    public TracedFlow translatedTo(IpAddress to, int toPort) {
        return new TracedFlow(to, toPort, probability, mark, true, masqueraded, Trace.Verdict.ENDPOINT, steps);
    }

    /** The same with an address of this node as their source. */
    public TracedFlow withNodeAsSource() {
        return new TracedFlow(address, port, probability, mark, translated, true, verdict, steps);
    }

    /** The same, accepted by a rule. */
    public TracedFlow accepted() {
        return withVerdict(translated ? Trace.Verdict.ENDPOINT : Trace.Verdict.ACCEPT);
    }

    /** The same with this verdict. */
    public TracedFlow withVerdict(Trace.Verdict now) {
        return new TracedFlow(address, port, probability, mark, translated, masqueraded, now, steps);
    }

    /** Whether they are refused, so that they meet no later rule. */
    public boolean isRefused() {
        return verdict == Trace.Verdict.DROP || verdict == Trace.Verdict.REJECT;
    }

    /** Their outcome at the end of their way. */
    public Trace.Outcome outcome() {
        return new Trace.Outcome(verdict, address, port, probability, masqueraded, steps);
    }
}
