package dev.nodepath.emulator.walk;

import dev.nodepath.emulator.walk.PacketStep.Addresses;
import dev.nodepath.endpoints.trace.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Tells the way of one packet to one of its possible ends: what each step makes of its addresses. */
public final class PacketStory {
    private static final List<String> HOOKS = List.of("PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING");

    private final Walk walk;
    private final Walk.End end;
    private final List<PacketStep> steps = new ArrayList<>();
    private Addresses now;
    private String hook = "";

    private PacketStory(Walk walk, Walk.End end) {
        this.walk = walk;
        this.end = end;
        this.now = new Addresses(walk.source().toString(), walk.to().toString());
    }

    /** The steps there and back. */
    public static List<PacketStep> of(Walk walk, Walk.End end) {
        PacketStory story = new PacketStory(walk, end);
        end.way().forEach(hop -> story.add(hop, false));
        end.there().forEach(hop -> story.add(hop, false));
        story.now = new Addresses(reached(end), story.seen());
        end.back().forEach(hop -> story.add(hop, true));
        return story.steps;
    }

    private static String reached(Walk.End end) {
        return end.address().withPort(end.port());
    }

    private String seen() {
        return end.seen().map(Object::toString).orElseGet(() -> walk.source().toString());
    }

    private void add(Hop hop, boolean answer) {
        hop.step().filter(step -> step.depth() == 0).ifPresent(step -> hook = hook(step.chain()));
        Addresses before = now;
        now = hop.step().map(this::byRule).orElseGet(() -> byEffect(hop));
        steps.add(new PacketStep(
                hop.where(),
                hop.what(),
                hop.step().map(step -> hook).orElse(""),
                hop.step().map(Trace.Step::table).orElse(""),
                hop.step().map(Trace.Step::chain).orElse(""),
                hop.step().map(Trace.Step::rule).orElse(hop.rule()),
                before,
                now,
                hop.step().map(List::of).orElse(hop.quiet()),
                decision(hop),
                answer));
    }

    private static PacketStep.Decision decision(Hop hop) {
        return switch (hop.effect().kind()) {
            case REDIRECTED -> PacketStep.Decision.REDIRECT;
            case REFUSED -> PacketStep.Decision.REFUSE;
            case MASQUERADED -> PacketStep.Decision.MASQUERADE;
            case NONE, RELAYED, COPIED, RESTORED -> PacketStep.Decision.NONE;
        };
    }

    private Addresses byRule(Trace.Step step) {
        if (RuleSentence.replacesDestination(step)) {
            return new Addresses(now.source(), reached(end));
        }
        return RuleSentence.replacesSource(step) ? new Addresses(seen(), now.destination()) : now;
    }

    private Addresses byEffect(Hop hop) {
        return switch (hop.effect().kind()) {
            case NONE, REFUSED -> now;
            case REDIRECTED -> new Addresses(now.source(), PacketStep.RELAY + hop.where());
            case RELAYED -> new Addresses(seen(), reached(end));
            case MASQUERADED -> new Addresses(hop.effect().address(), now.destination());
            case COPIED ->
                new Addresses(PacketStep.RELAY + hop.where(), hop.effect().address());
            case RESTORED -> new Addresses(walk.to().toString(), hop.effect().address());
        };
    }

    private static String hook(String chain) {
        String upper = chain.toUpperCase(Locale.ROOT);
        return HOOKS.stream().filter(upper::contains).findFirst().orElse(chain);
    }
}
