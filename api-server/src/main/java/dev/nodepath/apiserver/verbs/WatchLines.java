package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.request.StatusBody;
import dev.nodepath.apiserver.resource.Resource;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The lines of a watch: {@code {"type":"ADDED","object":{...}}}. */
final class WatchLines {
    private static final byte[] END = "}\n".getBytes(StandardCharsets.US_ASCII);

    private WatchLines() {}

    static byte[] line(String type, ObjectNode object) {
        byte[] start = ("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.US_ASCII);
        byte[] body = Json.bytes(object);
        byte[] line = new byte[start.length + body.length + END.length];
        System.arraycopy(start, 0, line, 0, start.length);
        System.arraycopy(body, 0, line, start.length, body.length);
        System.arraycopy(END, 0, line, start.length + body.length, END.length);
        return line;
    }

    /** An object with only a version: the watch has sent all changes until then. */
    static ObjectNode bookmark(Resource resource, long version, boolean endsInitialEvents) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("kind", resource.kind()).put("apiVersion", resource.apiVersion());
        ObjectNode metadata = object.putObject("metadata");
        metadata.put("resourceVersion", String.valueOf(version));
        if (endsInitialEvents) {
            metadata.putObject("annotations").put("k8s.io/initial-events-end", "true");
        }
        return object;
    }

    /** The history does not reach back to the client's version; the client has to list again. */
    static byte[] expired(String message) {
        return line("ERROR", StatusBody.of(new StatusException(410, "Expired", message, "", "", "", List.of())));
    }
}
