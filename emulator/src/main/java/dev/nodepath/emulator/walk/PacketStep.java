package dev.nodepath.emulator.walk;

import dev.nodepath.emulator.walk.Hop.Addresses;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A hop of one packet on its way to one receiver, or of its answer.
 *
 * @param hook the kernel's hook of the rule, such as {@code PREROUTING}; empty without a rule of the proxy
 * @param before source and destination when the step begins
 * @param after source and destination when it ends
 * @param answer whether it is a step of the answer
 */
public record PacketStep(Hop hop, String hook, Addresses before, Addresses after, boolean answer) {
    private static final List<String> HOOKS = List.of("PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING");

    /** The steps of a packet to one of its possible ends, and back. */
    public static List<PacketStep> of(Walk walk, Walk.End end) {
        String source = end.seen().orElse(walk.source()).toString();
        String reached = end.address().withPort(end.port());
        Addresses seen = new Addresses(source, reached);
        List<PacketStep> steps = new ArrayList<>();
        List<Hop> there = new ArrayList<>(end.way());
        there.addAll(end.there());
        add(steps, there, new Addresses(walk.source().toString(), walk.to().toString()), seen, false);
        add(steps, end.back(), new Addresses(reached, source), seen, true);
        return steps;
    }

    private static void add(List<PacketStep> steps, List<Hop> hops, Addresses first, Addresses seen, boolean answer) {
        String hook = "";
        Addresses now = first;
        for (Hop hop : hops) {
            Addresses before = now;
            now = hop.rewrite().of(before, seen);
            if (hop.step().filter(step -> step.depth() == 0).isPresent()) {
                hook = hook(hop.step().get().chain());
            }
            steps.add(new PacketStep(hop, hop.step().isPresent() ? hook : "", before, now, answer));
        }
    }

    /** The hook of a base chain, by its name. */
    static String hook(String chain) {
        String upper = chain.toUpperCase(Locale.ROOT);
        return HOOKS.stream().filter(upper::contains).findFirst().orElse(chain);
    }

    /** The node, the pod or the client of the step. */
    public String where() {
        return hop.where();
    }
}
