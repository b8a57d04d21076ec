package dev.nodepath.page;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Reads a recording, and checks everything that the page relies on: a file may be from anyone. */
public final class RecordingReader {
    /** Several times the size of a recorder's content. */
    static final int BYTES_MAX = 16 * 1024 * 1024;

    private static final JsonNode TEXT = TextNode.valueOf("");
    private static final ObjectMapper JSON = new ObjectMapper()
            .registerModule(new Jdk8Module())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

    private static final Map<String, Class<?>> PARTS =
            Map.of("node", PicturedNode.class, "pod", PicturedPod.class, "service", PicturedService.class);

    private int number;
    private long version = -1;
    private long at;

    private RecordingReader() {}

    /**
     * Reads a file.
     *
     * @throws RecordingException if it is no complete recording
     * @throws IOException if it cannot be read
     */
    public static Recording read(Path file) throws IOException, RecordingException {
        try (InputStream stream = Files.newInputStream(file)) {
            byte[] bytes = stream.readNBytes(BYTES_MAX + 1);
            if (bytes.length > BYTES_MAX) {
                throw new RecordingException(
                        "it has more than " + BYTES_MAX + " bytes (expected: a recording of the page)");
            }
            return read(bytes);
        }
    }

    /** Reads the content of a file. */
    static Recording read(byte[] bytes) throws RecordingException {
        return new RecordingReader().readAll(lines(bytes));
    }

    private Recording readAll(List<byte[]> lines) throws RecordingException {
        number = 1;
        JsonNode head = object(lines.get(0));
        if (!head.path("format").asText().equals(Recording.FORMAT)) {
            throw wrong("format", head, "\"" + Recording.FORMAT + "\", as the first line of a recording");
        }
        if (!head.path("version").isInt() || head.path("version").asInt() != Recording.VERSION) {
            throw wrong("version", head, String.valueOf(Recording.VERSION));
        }
        JsonNode state = head.path("state");
        checkState(state, "state");
        long from = number(head, "from", 0);
        long to = number(head, "to", from);
        long count = number(head, "events", 0);
        at = from;
        List<RecordedEvent> events = new ArrayList<>();
        for (byte[] line : lines.subList(1, lines.size())) {
            number++;
            if (events.size() == count) {
                throw new RecordingException(
                        number, "one more event (expected: " + count + " events, as the first line says)");
            }
            events.add(event(object(line), to));
        }
        if (events.size() < count) {
            throw new RecordingException(
                    number + 1,
                    "the file ends after " + events.size() + " events (expected: " + count
                            + ", as the first line says)");
        }
        return new Recording(from, to, state.toString(), events);
    }

    private RecordedEvent event(JsonNode json, long to) throws RecordingException {
        String kind = json.path("kind").asText();
        if (!kind.matches("[a-z]{1,20}")) {
            throw wrong("kind", json, "a word such as \"pod\"");
        }
        version = number(json, "version", version + 1);
        at = number(json, "at", at);
        if (at > to) {
            throw wrong("at", json, "<= " + to + ", where the recording ends");
        }
        JsonNode data = json.path("data");
        if (!data.isObject()) {
            throw wrong("data", json, "an object");
        }
        check(kind, data);
        return new RecordedEvent(at, new PageEvent(version, kind, data.toString()));
    }

    private void check(String kind, JsonNode data) throws RecordingException {
        Class<?> part = PARTS.get(kind);
        if (part != null) {
            if (!data.path("id").isTextual()) {
                throw wrong("id", data, "a name");
            }
            if (!data.path("gone").asBoolean()) {
                checkAs(part, data.path("part"), "data.part");
            }
        } else if (kind.equals("state")) {
            checkState(data, "data");
        } else {
            checkNews(kind, data);
        }
    }

    private void checkState(JsonNode state, String name) throws RecordingException {
        checkAs(Picture.class, state, name);
        if (!state.path("news").isArray()) {
            throw wrong("news", state, "a list");
        }
        for (JsonNode each : state.path("news")) {
            checkNews(each.path("kind").asText(), each);
        }
    }

    /** Checks an event. The page does not show events of unknown kinds. */
    private void checkNews(String kind, JsonNode data) throws RecordingException {
        if (kind.equals("step")) {
            number(data, "at", 0);
            for (String name : List.of("layer", "where", "what")) {
                if (!data.path(name).isTextual()) {
                    throw wrong(name, data, "a text");
                }
            }
            if (data.path("layer").asText().equals("diff")) {
                lists(data, JsonNode::isTextual, "added", "removed");
            }
        } else if (kind.equals("probe")) {
            number(data, "at", 0);
            lists(data, JsonNode::isObject, "expected", "steps");
            lists(data, JsonNode::isTextual, "differences");
            lists(data.path("observed"), JsonNode::isObject, "conntrack", "kernel", "wire");
            lists(data.path("observed"), JsonNode::isTextual, "notes");
        }
    }

    /** Lists of objects or of texts. */
    private void lists(JsonNode data, Predicate<JsonNode> item, String... names) throws RecordingException {
        for (String name : names) {
            if (!data.path(name).isArray()) {
                throw wrong(name, data, "a list");
            }
            for (JsonNode each : data.path(name)) {
                if (!item.test(each)) {
                    throw wrong(name, data, "a list of " + (item.test(TEXT) ? "texts" : "objects"));
                }
            }
        }
    }

    private void checkAs(Class<?> type, JsonNode json, String name) throws RecordingException {
        if (!json.isObject()) {
            throw new RecordingException(number, name + ": " + shortly(json) + " (expected: an object)");
        }
        try {
            JSON.treeToValue(json, type);
        } catch (JsonProcessingException e) {
            throw new RecordingException(number, name + place(e) + ": " + e.getOriginalMessage());
        }
    }

    /** The place in the object, such as {@code .pods[2].ready}. */
    private static String place(JsonProcessingException e) {
        if (!(e instanceof JsonMappingException mapping)) {
            return "";
        }
        return mapping.getPath().stream()
                .map(step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : "." + step.getFieldName())
                .collect(Collectors.joining());
    }

    private long number(JsonNode json, String name, long least) throws RecordingException {
        JsonNode value = json.path(name);
        if (!value.isIntegralNumber() || !value.canConvertToLong() || value.asLong() < least) {
            throw wrong(name, json, "a whole number >= " + least);
        }
        return value.asLong();
    }

    private JsonNode object(byte[] line) throws RecordingException {
        try {
            JsonNode json = JSON.readTree(line);
            if (json != null && json.isObject()) {
                return json;
            }
            throw new RecordingException(number, "no JSON object (expected: one on each line of a recording)");
        } catch (JsonProcessingException e) {
            throw new RecordingException(
                    number, "no JSON (expected: an object on each line of a recording): " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new RecordingException(number, "no UTF-8 text: " + e.getMessage());
        }
    }

    private RecordingException wrong(String name, JsonNode json, String expected) {
        return new RecordingException(number, name + ": " + shortly(json.path(name)) + " (expected: " + expected + ")");
    }

    private static String shortly(JsonNode json) {
        String text = json.isMissingNode() ? "missing" : json.toString();
        return text.length() > 60 ? text.substring(0, 60) + "..." : text;
    }

    /** The lines without their ends; the last line may have none. */
    private static List<byte[]> lines(byte[] bytes) {
        List<byte[]> lines = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                lines.add(Arrays.copyOfRange(bytes, start, i));
                start = i + 1;
            }
        }
        if (start < bytes.length || lines.isEmpty()) {
            lines.add(Arrays.copyOfRange(bytes, start, bytes.length));
        }
        return lines;
    }
}
