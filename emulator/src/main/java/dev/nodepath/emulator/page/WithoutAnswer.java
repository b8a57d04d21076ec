package dev.nodepath.emulator.page;

import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.emulator.walk.Hop;
import dev.nodepath.emulator.walk.PacketStep;
import dev.nodepath.emulator.walk.RunningProxies;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.endpoints.trace.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What can be said of a packet that nobody has answered: why, and how far it came. */
final class WithoutAnswer {
    private WithoutAnswer() {}

    /** The reason in a sentence, if it is known. */
    static Optional<String> why(RunningProxies proxies, Walk walk, ProbeResult result) {
        return switch (result.answer().kind()) {
            case REFUSED -> result.end().map(WithoutAnswer::refusal);
            case SILENT ->
                result.end().isPresent()
                        ? result.end().filter(Walk.End::isSilent).map(WithoutAnswer::silence)
                        : ofBefore(proxies, walk);
            default -> Optional.empty();
        };
    }

    private static String silence(Walk.End end) {
        return "On " + last(end).where() + ": " + last(end).what();
    }

    private static String refusal(Walk.End end) {
        return end.verdict() == Trace.Verdict.REJECT
                ? last(end).where() + " refuses it: the Service has no ready endpoint."
                : end.name() + " refuses it: nothing listens at "
                        + end.address().withPort(end.port()) + ".";
    }

    private static Hop last(Walk.End end) {
        List<Hop> hops = end.there().isEmpty() ? end.way() : end.there();
        return hops.get(hops.size() - 1);
    }

    /** Rules that nobody changes any more. */
    static Optional<String> ofBefore(RunningProxies proxies, Walk walk) {
        return walk.ends().stream()
                .flatMap(end -> end.way().stream())
                .map(Hop::where)
                .filter(proxies.ended()::contains)
                .findFirst()
                .map(node -> "The agent of " + node + " has ended: its rules are those of before.");
    }

    /**
     * Of the promised steps those that have happened, as far as is known. If the packet went another way, they end
     * before the first one that the kernel has not confirmed, and what the last node tracks of it follows.
     */
    static List<PacketStep> happened(List<PacketStep> promised, KernelAgreement kernel, ProbeResult result) {
        if (result.end().isPresent() || result.answer().kind() == ProbeAnswer.Kind.ANSWERED) {
            return promised;
        }
        List<PacketStep> steps = new ArrayList<>();
        for (int i = 0; i < promised.size(); i++) {
            if (promised.get(i).answer() || kernel.unconfirmed().contains(i)) {
                break;
            }
            steps.add(promised.get(i));
        }
        if (!result.entries().isEmpty()) {
            NodeFlow entry = result.entries().get(result.entries().size() - 1);
            Packet became = entry.became();
            steps.add(new PacketStep(
                    Hop.seen(
                            entry.node(),
                            "A rule of its kernel has sent the packet to " + became.target()
                                    + ", as its connection tracking shows. Nobody has answered from there."),
                    "",
                    steps.isEmpty()
                            ? new Hop.Addresses(became.origin(), became.target())
                            : steps.get(steps.size() - 1).after(),
                    new Hop.Addresses(became.source().toString(), became.target()),
                    false));
        }
        return steps;
    }
}
