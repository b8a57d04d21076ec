package dev.nodepath.emulator.page;

import dev.nodepath.emulator.walk.Hop;
import dev.nodepath.emulator.walk.PacketStep;
import dev.nodepath.emulator.walk.RunningProxies;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.endpoints.trace.Effect;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Explains a packet without an answer: the reason, and how far the packet came. */
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
        if (end.reaches()) {
            return end.name() + " refuses it: nothing listens at "
                    + end.address().withPort(end.port()) + ".";
        }
        return last(end).effect() instanceof Effect.Refuses rule
                        && !rule.reason().isEmpty()
                ? last(end).where() + " refuses it: " + rule.reason() + "."
                : silence(end);
    }

    private static Hop last(Walk.End end) {
        List<Hop> hops = end.there().isEmpty() ? end.way() : end.there();
        return hops.get(hops.size() - 1);
    }

    /** The reason why a node's rules no longer follow changes. */
    static Optional<String> ofBefore(RunningProxies proxies, Walk walk) {
        return walk.ends().stream()
                .flatMap(end -> end.way().stream())
                .map(Hop::where)
                .filter(proxies.ended()::contains)
                .findFirst()
                .map(node -> "The agent of " + node + " does not run: its rules are those of before.");
    }

    /**
     * The promised steps that have happened, as far as is known. If the packet went another way, the list ends before
     * the first step that the kernel has not confirmed, and continues with the last rewrite in a node's connection
     * tracking.
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
        result.entries().stream()
                .filter(NodeFlow::isTranslated)
                .reduce((one, later) -> later)
                .ifPresent(entry -> steps.add(rewritten(entry, result.answer())));
        return steps;
    }

    private static PacketStep rewritten(NodeFlow entry, ProbeAnswer answer) {
        String target = entry.became().target();
        String silence = answer.kind() == ProbeAnswer.Kind.SILENT ? " Nobody has answered from there." : "";
        return new PacketStep(
                Hop.of(
                        entry.node(),
                        Hop.Actor.OTHER_RULE,
                        "A rule of its kernel has sent the packet to " + target + ", as its connection tracking shows."
                                + silence),
                "",
                new Hop.Addresses(entry.sent().source().toString(), entry.sent().target()),
                new Hop.Addresses(entry.became().source().toString(), target),
                false);
    }
}
