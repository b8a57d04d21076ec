package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * An Event about a Node. A person sees it in {@code kubectl describe node} and {@code kubectl events}.
 *
 * @param node name of the Node
 * @param reason the type of the event, a word in CamelCase
 * @param note the message; it is cut after {@value #NOTE_CHARS_MAX} characters
 * @param warning whether a person should act
 */
public record NodeEvent(String node, String reason, String note, boolean warning, Instant time) {
    /** The limit of {@code events.k8s.io/v1}. */
    public static final int NOTE_CHARS_MAX = 1024;

    /** The path of Events about Nodes, which have no namespace. The kubelet uses it, too. */
    static final String PATH = "/apis/events.k8s.io/v1/namespaces/default/events";

    private static final String CONTROLLER = "nodepath.dev/agent";
    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    /** Cuts the note. */
    public NodeEvent {
        note = note.length() <= NOTE_CHARS_MAX ? note : note.substring(0, NOTE_CHARS_MAX - 3) + "...";
    }

    /**
     * An {@code events.k8s.io/v1} Event. {@code kubectl describe node} looks for the Node's name in the place of its
     * UID.
     */
    String json() {
        ObjectNode event = JsonNodeFactory.instance.objectNode();
        event.put("apiVersion", "events.k8s.io/v1").put("kind", "Event");
        event.putObject("metadata").put("generateName", "nodepath-").put("namespace", "default");
        event.put("eventTime", MICROS.format(time));
        event.put("reportingController", CONTROLLER).put("reportingInstance", node);
        event.put("action", "Agent").put("reason", reason).put("note", note);
        event.put("type", warning ? "Warning" : "Normal");
        event.putObject("regarding")
                .put("apiVersion", "v1")
                .put("kind", "Node")
                .put("name", node)
                .put("uid", node);
        return event.toString();
    }
}
