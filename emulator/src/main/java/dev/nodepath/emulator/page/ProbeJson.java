package dev.nodepath.emulator.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.emulator.walk.Hop;
import dev.nodepath.emulator.walk.PacketStep;
import dev.nodepath.emulator.walk.PolicyJson;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.endpoints.trace.Trace;
import java.util.List;
import java.util.Locale;

/** A probe as the page gets it, part by part. */
final class ProbeJson {
    private static final int NANOS_PER_MICRO = 1000;
    /** The most entries of one kind; the page shows no more. */
    private static final int LISTED_MAX = 200;

    private final ObjectNode json = JsonNodeFactory.instance.objectNode();
    private final ObjectNode observed;
    private final ArrayNode notes;
    private final ArrayNode differences;

    private ProbeJson(Walk walk, ProbeResult result) {
        json.put("from", walk.from().name())
                .put("to", walk.to().what())
                .put("mode", walk.mode().toString())
                .put("protocol", walk.to().protocol().lowerCase())
                .put("source", walk.source().toString())
                .put("destination", walk.to().toString());
        walk.ends().forEach(end -> addEnd(json.withArray("expected"), end));
        observed = json.putObject("observed");
        addObserved(observed, result);
        notes = observed.putArray("notes");
        differences = json.putArray("differences");
        result.differences().forEach(differences::add);
    }

    /** Begins with the promise, and the observations of sender and conntrack. */
    static ProbeJson of(Walk walk, ProbeResult result) {
        return new ProbeJson(walk, result);
    }

    /** Why the sender has got no answer. */
    ProbeJson why(String sentence) {
        observed.put("why", sentence);
        return this;
    }

    /** Adds why observations may differ from the promise: a node's rules no longer follow changes. */
    ProbeJson rulesOfBefore(String sentence) {
        observed.put("rulesOfBefore", sentence);
        return this;
    }

    /**
     * Adds the steps, each with the observations of kernels and links.
     *
     * @param promised all steps that kernels and links were checked against
     * @param steps the steps to show
     */
    ProbeJson steps(List<PacketStep> promised, List<PacketStep> steps, KernelAgreement kernel, WireAgreement wire) {
        kernel.differences().forEach(differences::add);
        wire.differences().forEach(differences::add);
        addPolicies(promised, steps);
        ArrayNode written = json.putArray("steps");
        for (int i = 0; i < steps.size(); i++) {
            ObjectNode step = addStep(written.addObject(), steps.get(i));
            if (i < promised.size() && steps.get(i).equals(promised.get(i))) {
                step.put("kernel", kernel.confirmed().contains(i))
                        .put("wire", wire.seen().getOrDefault(i, ""))
                        .put(
                                "missing",
                                kernel.unconfirmed().contains(i)
                                        || wire.missing().contains(i));
            }
        }
        return this;
    }

    /** Adds the NetworkPolicies that isolate an end, and the explanation of a refusal. */
    private void addPolicies(List<PacketStep> promised, List<PacketStep> steps) {
        ArrayNode policies = json.putArray("policies");
        for (PacketStep step : promised) {
            step.hop().policy().ifPresent(asked -> {
                asked.question().asked().isolating().forEach(policy -> policies.add(policy.toString()));
                if (asked.refuses() && steps.contains(step)) {
                    observed.put("why", step.hop().what());
                }
            });
        }
    }

    /** Adds each rule that the kernels report. */
    ProbeJson kernel(KernelWay kernel) {
        ArrayNode hops = observed.putArray("kernel");
        kernel.hops().stream()
                .limit(LISTED_MAX)
                .forEach(hop -> hops.addObject()
                        .put("node", hop.node())
                        .put("table", hop.table())
                        .put("chain", hop.chain())
                        .put("rule", hop.rule())
                        .put("verdict", hop.verdict().map(Object::toString).orElse("")));
        kernel.notes().forEach(notes::add);
        return this;
    }

    /** Adds each packet on a link; {@code micros} is the time since the first. */
    ProbeJson wire(WireWay wire) {
        ArrayNode hops = observed.putArray("wire");
        wire.hops().stream()
                .limit(LISTED_MAX)
                .forEach(hop -> hops.addObject()
                        .put("node", hop.node())
                        .put("place", hop.place())
                        .put("micros", (hop.nanos() - wire.hops().get(0).nanos()) / NANOS_PER_MICRO)
                        .put("packet", hop.packet().toString())
                        .put("answer", hop.answer()));
        wire.notes().forEach(notes::add);
        return this;
    }

    ObjectNode json() {
        return json;
    }

    private static void addEnd(ArrayNode ends, Walk.End end) {
        ends.addObject()
                .put("verdict", end.verdict().name().toLowerCase(Locale.ROOT))
                .put("name", end.name())
                .put("address", end.address().withPort(end.port()))
                .put("seen", end.seen().map(Object::toString).orElse(""))
                .put("probability", end.probability());
    }

    private static void addObserved(ObjectNode observed, ProbeResult result) {
        ProbeAnswer answer = result.answer();
        String by = answer.pod().isEmpty() ? result.end().map(Walk.End::name).orElse("") : answer.pod();
        observed.put("kind", answer.kind().name().toLowerCase(Locale.ROOT))
                .put("by", by)
                .put("seen", answer.seen())
                .put("micros", answer.micros())
                .put("localPort", answer.localPort())
                .put("text", answer.text());
        ArrayNode entries = observed.putArray("conntrack");
        result.entries().stream()
                .limit(LISTED_MAX)
                .forEach(entry -> entries.addObject()
                        .put("node", entry.node())
                        .put("original", entry.sent().toString())
                        .put("reply", Packet.of(entry.flow().reply()).toString())
                        .put("answered", entry.flow().answered()));
    }

    private static ObjectNode addStep(ObjectNode json, PacketStep step) {
        Hop hop = step.hop();
        hop.policy().ifPresent(policy -> json.set("policy", PolicyJson.of(policy)));
        return json.put("where", hop.where())
                .put("actor", hop.actor().toString())
                .put("what", hop.what())
                .put("hook", step.hook())
                .put("table", hop.step().map(Trace.Step::table).orElse(""))
                .put("chain", hop.step().map(Trace.Step::chain).orElse(""))
                .put("rule", hop.step().map(Trace.Step::rule).orElse(hop.rule()))
                .put("source", step.before().source())
                .put("destination", step.before().destination())
                .put("newSource", step.after().source())
                .put("newDestination", step.after().destination())
                .put("answer", step.answer());
    }
}
