package dev.nodepath.emulator.walk;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** A walk for programs. */
final class WalkJson {
    private WalkJson() {}

    static String of(Walk walk) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("from", walk.from().name())
                .put("to", walk.to().what())
                .put("mode", walk.mode().toString())
                .put("source", walk.source().toString())
                .put("destination", walk.to().address().toString())
                .put("port", walk.to().port())
                .put("protocol", walk.to().protocol().lowerCase());
        add(json.putArray("hops"), walk.there());
        ArrayNode ends = json.putArray("outcomes");
        for (Walk.End end : walk.ends()) {
            ObjectNode written = ends.addObject()
                    .put("verdict", end.verdict().name())
                    .put("probability", end.probability())
                    .put("name", end.name())
                    .put("address", end.address().toString())
                    .put("port", end.port())
                    .put("seenSource", end.seen().map(Object::toString).orElse(""));
            add(written.putArray("hops"), end.there());
            add(written.putArray("answer"), end.back());
        }
        return json.toPrettyString() + "\n";
    }

    private static void add(ArrayNode array, List<Hop> hops) {
        hops.forEach(hop -> {
            ObjectNode written = array.addObject()
                    .put("where", hop.where())
                    .put("actor", hop.actor().toString())
                    .put("what", hop.what())
                    .put("rule", hop.rule());
            hop.policy().ifPresent(policy -> written.set("policy", PolicyJson.of(policy)));
        });
    }
}
