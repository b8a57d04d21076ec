package dev.nodepath.emulator.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.emulator.walk.PacketStep;
import dev.nodepath.emulator.walk.Walk;
import java.util.List;
import java.util.Locale;

/** A probe as the page gets it. */
final class ProbeJson {
    private ProbeJson() {}

    static ObjectNode of(
            Walk walk, ProbeResult result, List<PacketStep> steps, KernelWay kernel, KernelAgreement agreement) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("from", walk.from().name())
                .put("to", walk.to().what())
                .put("mode", walk.mode().toString())
                .put("protocol", walk.to().protocol().lowerCase())
                .put("source", walk.source().toString())
                .put("destination", walk.to().toString());
        walk.ends().forEach(end -> addEnd(json.withArray("expected"), end));
        addObserved(json.putObject("observed"), result, kernel);
        ArrayNode differences = json.putArray("differences");
        result.differences().forEach(differences::add);
        agreement.differences().forEach(differences::add);
        ArrayNode written = json.putArray("steps");
        for (int i = 0; i < steps.size(); i++) {
            addStep(written.addObject(), steps.get(i))
                    .put("kernel", agreement.confirmed().contains(i))
                    .put("missing", agreement.unconfirmed().contains(i));
        }
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

    private static void addObserved(ObjectNode observed, ProbeResult result, KernelWay kernel) {
        ProbeAnswer answer = result.answer();
        String by = answer.pod().isEmpty() ? result.end().map(Walk.End::name).orElse("") : answer.pod();
        observed.put("kind", answer.kind().name().toLowerCase(Locale.ROOT))
                .put("by", by)
                .put("seen", answer.seen())
                .put("micros", answer.micros())
                .put("localPort", answer.localPort())
                .put("text", answer.text());
        ArrayNode entries = observed.putArray("conntrack");
        result.entries()
                .forEach(entry -> entries.addObject()
                        .put("node", entry.node())
                        .put("original", entry.sent().toString())
                        .put("reply", Packet.of(entry.flow().reply()).toString())
                        .put("answered", entry.flow().answered()));
        ArrayNode hops = observed.putArray("kernel");
        kernel.hops()
                .forEach(hop -> hops.addObject()
                        .put("node", hop.node())
                        .put("table", hop.table())
                        .put("chain", hop.chain())
                        .put("rule", hop.rule())
                        .put("verdict", hop.verdict()));
        kernel.notes().forEach(observed.putArray("notes")::add);
    }

    private static ObjectNode addStep(ObjectNode json, PacketStep step) {
        return json.put("where", step.where())
                .put("what", step.what())
                .put("hook", step.hook())
                .put("table", step.table())
                .put("chain", step.chain())
                .put("rule", step.rule())
                .put("source", step.before().source())
                .put("destination", step.before().destination())
                .put("newSource", step.after().source())
                .put("newDestination", step.after().destination())
                .put("answer", step.answer());
    }
}
