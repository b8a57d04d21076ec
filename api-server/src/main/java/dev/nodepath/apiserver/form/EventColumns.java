package dev.nodepath.apiserver.form;

import static dev.nodepath.apiserver.form.Column.number;
import static dev.nodepath.apiserver.form.Column.objectName;
import static dev.nodepath.apiserver.form.Column.text;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

final class EventColumns {
    static final List<Column> ALL = List.of(
            new Column("Last Seen", "string", "", false, "Last Seen", EventColumns::lastSeen),
            text("Type", event -> event.path("type").asText("")),
            text("Reason", event -> event.path("reason").asText("")),
            text("Object", EventColumns::object),
            text(
                            "Subobject",
                            event -> event.path("involvedObject")
                                    .path("fieldPath")
                                    .asText(""))
                    .onlyWide(),
            text("Source", EventColumns::source).onlyWide(),
            text("Message", event -> event.path("message").asText("").trim()),
            new Column("First Seen", "string", "", true, "First Seen", EventColumns::firstSeen),
            number("Count", EventColumns::count).onlyWide(),
            objectName().onlyWide());

    private EventColumns() {}

    private static String lastSeen(JsonNode event, Instant now) {
        JsonNode series = event.path("series").path("lastObservedTime");
        JsonNode last = event.path("lastTimestamp");
        return series.isTextual()
                ? Ages.since(series, now)
                : last.isTextual() ? Ages.since(last, now) : firstSeen(event, now);
    }

    private static String firstSeen(JsonNode event, Instant now) {
        JsonNode first = event.path("firstTimestamp");
        return Ages.since(first.isTextual() ? first : event.path("eventTime"), now);
    }

    private static String object(JsonNode event) {
        JsonNode about = event.path("involvedObject");
        String kind = about.path("kind").asText("").toLowerCase(Locale.ROOT);
        String name = about.path("name").asText("");
        return name.isEmpty() ? kind : kind + "/" + name;
    }

    private static String source(JsonNode event) {
        String component = event.path("source").path("component").asText("");
        String reporter = component.isEmpty() ? event.path("reportingComponent").asText("") : component;
        String host = event.path("source").path("host").asText("");
        String instance = host.isEmpty() ? event.path("reportingInstance").asText("") : host;
        return instance.isEmpty() ? reporter : reporter + ", " + instance;
    }

    private static long count(JsonNode event) {
        return event.has("series")
                ? event.path("series").path("count").asLong(1)
                : Math.max(1, event.path("count").asLong(1));
    }
}
