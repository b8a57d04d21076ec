package dev.nodepath.endpoints.source;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Turns YAML text into Jackson's nodes. It reads the parser's events, because the library's own composer has no limit
 * of depth and does not count the values that an alias adds. Jackson's YAML reader resolves neither aliases nor merge
 * keys.
 */
final class YamlParser {
    /** Values within values; a Kubernetes object needs about ten. */
    static final int MAX_DEPTH = 64;
    /** Values of a file, each alias counted as everything it stands for. */
    static final int MAX_VALUES = 1_000_000;

    /** Documents of a file. */
    static final int MAX_DOCUMENTS = 100_000;
    /** Digits and signs of a number; a longer text is a string. */
    static final int MAX_NUMBER_CHARS = 64;

    private static final String MERGE_KEY = "<<";
    private static final ScalarResolver RESOLVER = new CoreSchema().getScalarResolver();
    /** The tags that may be written: those of strings, mappings and lists. */
    private static final Set<String> EXPLICIT_TAGS =
            Set.of("!", Tag.STR.getValue(), Tag.MAP.getValue(), Tag.SEQ.getValue());

    private final Path file;
    private final Duplicates duplicates;
    private final Iterator<Event> events;
    private final Map<Anchor, Anchored> anchors = new HashMap<>();
    private int values;

    private final IdentityHashMap<JsonNode, Integer> lines = new IdentityHashMap<>();

    /** The action for a duplicate key. */
    interface Duplicates {
        /** The last one counts, unless this throws. */
        void found(ManifestException problem) throws ManifestException;
    }

    /** A value with an anchor, and the number of values inside it. */
    private record Anchored(JsonNode value, int size) {}

    /**
     * The documents of a file.
     *
     * @param documents in order, without the empty ones; aliases share nodes
     * @param lines the line that a value starts in, from 1, by the identity of its node; none for a null
     */
    record Documents(Path file, List<JsonNode> documents, IdentityHashMap<JsonNode, Integer> lines) {}

    private YamlParser(Path file, String text, Duplicates duplicates) {
        this.file = file;
        this.duplicates = duplicates;
        LoadSettings settings = LoadSettings.builder()
                .setSchema(new CoreSchema())
                .setCodePointLimit(Math.max(1, text.length()))
                .build();
        this.events = new Parse(settings).parseString(text).iterator();
    }

    /** Reads the documents of a text, in which no key may occur twice. */
    static Documents parse(Path file, String text) throws ManifestException {
        return parse(file, text, problem -> {
            throw problem;
        });
    }

    /** Reads the documents of a text. */
    static Documents parse(Path file, String text, Duplicates duplicates) throws ManifestException {
        YamlParser parser = new YamlParser(file, text, duplicates);
        try {
            return new Documents(file, parser.documents(), parser.lines);
        } catch (MarkedYamlEngineException e) {
            throw new ManifestException(file, at(e.getProblemMark()) + oneLine(e.getProblem()), e);
        } catch (YamlEngineException e) {
            throw new ManifestException(file, oneLine(String.valueOf(e.getMessage())), e);
        }
    }

    private List<JsonNode> documents() throws ManifestException {
        List<JsonNode> documents = new ArrayList<>();
        while (events.hasNext()) {
            Event event = events.next();
            switch (event.getEventId()) {
                case DocumentStart -> anchors.clear();
                case StreamStart, StreamEnd, DocumentEnd, Comment -> {}
                default -> {
                    JsonNode root = value(event, 1);
                    if (documents.size() == MAX_DOCUMENTS) {
                        throw problem(event, "more than " + MAX_DOCUMENTS + " documents");
                    }
                    if (!root.isNull()) {
                        documents.add(root);
                    }
                }
            }
        }
        return documents;
    }

    private JsonNode value(Event event, int depth) throws ManifestException {
        if (depth > MAX_DEPTH) {
            throw problem(event, "nested more than " + MAX_DEPTH + " deep");
        }
        count(event, 1);
        if (event instanceof AliasEvent alias) {
            Anchored anchored = anchors.get(alias.getAlias());
            if (anchored == null) {
                throw problem(event, "alias *" + alias.getAlias() + " has no anchor before it");
            }
            count(event, anchored.size);
            return anchored.value;
        }
        int before = values;
        JsonNode value = switch (event.getEventId()) {
            case Scalar -> scalar((ScalarEvent) event);
            case SequenceStart -> sequence(event, depth);
            case MappingStart -> mapping(event, depth);
            default -> throw problem(event, "a value is missing");
        };
        if (!value.isNull()) {
            lines.put(
                    value, event.getStartMark().map(mark -> mark.getLine() + 1).orElse(0));
        }
        // An anchor counts from the end of its value on, so that a value cannot contain itself.
        ((NodeEvent) event).getAnchor().ifPresent(anchor -> anchors.put(anchor, new Anchored(value, values - before)));
        return value;
    }

    /** Every scalar but a null is a node of its own, since its line is found by its identity. */
    private JsonNode scalar(ScalarEvent event) throws ManifestException {
        checkTag(event, event.getTag());
        String text = event.getValue();
        boolean string = event.getTag().isPresent() || !event.isPlain() || text.length() > MAX_NUMBER_CHARS;
        Tag tag = string ? Tag.STR : RESOLVER.resolve(text, true);
        if (tag.equals(Tag.INT)) {
            return new BigIntegerNode(integer(text));
        } else if (tag.equals(Tag.FLOAT)) {
            return new DoubleNode(number(text.toLowerCase(Locale.ROOT)));
        } else if (tag.equals(Tag.BOOL)) {
            return new BooleanNode(text.equalsIgnoreCase("true")) {};
        }
        return tag.equals(Tag.NULL) ? NullNode.getInstance() : new TextNode(text);
    }

    /** The forms of the YAML 1.2 core schema: decimal, 0o octal, 0x hexadecimal. */
    private static BigInteger integer(String text) {
        if (text.startsWith("0x")) {
            return new BigInteger(text.substring(2), 16);
        }
        return text.startsWith("0o") ? new BigInteger(text.substring(2), 8) : new BigInteger(text);
    }

    private static double number(String text) {
        return switch (text) {
            case ".inf", "+.inf" -> Double.POSITIVE_INFINITY;
            case "-.inf" -> Double.NEGATIVE_INFINITY;
            case ".nan" -> Double.NaN;
            default -> Double.parseDouble(text);
        };
    }

    private ArrayNode sequence(Event start, int depth) throws ManifestException {
        checkTag(start, ((CollectionStartEvent) start).getTag());
        ArrayNode items = JsonNodeFactory.instance.arrayNode();
        for (Event event = events.next(); event.getEventId() != Event.ID.SequenceEnd; event = events.next()) {
            items.add(value(event, depth + 1));
        }
        return items;
    }

    private ObjectNode mapping(Event start, int depth) throws ManifestException {
        checkTag(start, ((CollectionStartEvent) start).getTag());
        ObjectNode fields = JsonNodeFactory.instance.objectNode();
        List<JsonNode> merged = List.of();
        for (Event event = events.next(); event.getEventId() != Event.ID.MappingEnd; event = events.next()) {
            String key = key(event, depth);
            Event valueEvent = events.next();
            JsonNode value = value(valueEvent, depth + 1);
            boolean merge = isMergeKey(event);
            if (merge ? !merged.isEmpty() : fields.has(key)) {
                duplicates.found(problem(event, "key \"" + oneLine(key) + "\" occurs twice"));
            }
            if (merge) {
                merged = mappings(valueEvent, value);
            } else {
                fields.set(key, value);
            }
        }
        // The mapping's own fields win, in any order. Of the merged mappings an earlier one wins.
        for (JsonNode mapping : merged) {
            mapping.properties().forEach(field -> fields.putIfAbsent(field.getKey(), field.getValue()));
        }
        return fields;
    }

    private String key(Event event, int depth) throws ManifestException {
        JsonNode key = value(event, depth + 1);
        if (!key.isValueNode()) {
            throw problem(event, "a key is no scalar");
        }
        return event instanceof ScalarEvent scalar ? scalar.getValue() : key.asText();
    }

    /** A merge key has no quotes (YAML 1.1, <a href="https://yaml.org/type/merge.html">merge key type</a>). */
    private static boolean isMergeKey(Event key) {
        return key instanceof ScalarEvent scalar
                && scalar.isPlain()
                && scalar.getTag().isEmpty()
                && scalar.getValue().equals(MERGE_KEY);
    }

    private List<JsonNode> mappings(Event event, JsonNode value) throws ManifestException {
        List<JsonNode> mappings = new ArrayList<>();
        (value.isArray() ? value : List.of(value)).forEach(mappings::add);
        if (!mappings.stream().allMatch(JsonNode::isObject)) {
            throw problem(event, "merge key (<<): not a mapping (expected: a mapping, or a list of mappings)");
        }
        return mappings;
    }

    private void checkTag(Event event, Optional<String> tag) throws ManifestException {
        if (tag.isPresent() && !EXPLICIT_TAGS.contains(tag.get())) {
            throw problem(event, "tag " + tag.get() + " is not supported");
        }
    }

    private void count(Event event, int more) throws ManifestException {
        if (more > MAX_VALUES - values) {
            throw problem(event, "more than " + MAX_VALUES + " values");
        }
        values += more;
    }

    private ManifestException problem(Event event, String problem) {
        return new ManifestException(file, at(event.getStartMark()) + problem);
    }

    private static String at(Optional<Mark> mark) {
        return mark.map(m -> "line " + (m.getLine() + 1) + ", column " + (m.getColumn() + 1) + ": ")
                .orElse("");
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }
}
