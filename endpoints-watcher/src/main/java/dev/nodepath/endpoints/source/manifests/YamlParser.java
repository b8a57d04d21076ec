package dev.nodepath.endpoints.source.manifests;

import dev.nodepath.endpoints.source.manifests.YamlValue.Mapping;
import dev.nodepath.endpoints.source.manifests.YamlValue.Scalar;
import dev.nodepath.endpoints.source.manifests.YamlValue.ScalarType;
import dev.nodepath.endpoints.source.manifests.YamlValue.Sequence;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
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
 * YAML text to values. It works on the parser's events, because the library's own composer recurses as deep as the
 * document does and does not see what aliases expand to.
 */
final class YamlParser {
    /** Values within values; a Kubernetes object needs about ten. */
    static final int MAX_DEPTH = 64;
    /** Values of a file, each alias counted as everything it stands for. */
    static final int MAX_VALUES = 1_000_000;

    /** Documents of a file. */
    static final int MAX_DOCUMENTS = 100_000;
    /** Digits and signs of a number; what is longer is a string. */
    static final int MAX_NUMBER_CHARS = 64;

    private static final String MERGE_KEY = "<<";
    private static final ScalarResolver RESOLVER = new CoreSchema().getScalarResolver();
    private static final Map<Tag, ScalarType> SCALAR_TYPES = Map.of(
            Tag.STR, ScalarType.STRING,
            Tag.INT, ScalarType.INTEGER,
            Tag.FLOAT, ScalarType.FLOAT,
            Tag.BOOL, ScalarType.BOOLEAN,
            Tag.NULL, ScalarType.NULL);
    /** The tags that may be written out: those that say what is so anyway, and the ones that make a string of a scalar. */
    private static final Set<String> EXPLICIT_TAGS =
            Set.of("!", Tag.STR.getValue(), Tag.MAP.getValue(), Tag.SEQ.getValue());

    private final Path file;
    private final Iterator<Event> events;
    private final Map<Anchor, Anchored> anchors = new HashMap<>();
    private int values;

    private record Anchored(YamlValue value, int size) {}

    private YamlParser(Path file, String text) {
        this.file = file;
        LoadSettings settings = LoadSettings.builder()
                .setSchema(new CoreSchema())
                .setCodePointLimit(Math.max(1, text.length()))
                .build();
        this.events = new Parse(settings).parseString(text).iterator();
    }

    /** The documents of a text in order, empty ones left out. */
    static List<YamlValue> parse(Path file, String text) throws ManifestException {
        YamlParser parser = new YamlParser(file, text);
        try {
            return parser.documents();
        } catch (MarkedYamlEngineException e) {
            throw new ManifestException(file, at(e.getProblemMark()) + oneLine(e.getProblem()), e);
        } catch (YamlEngineException e) {
            throw new ManifestException(file, oneLine(String.valueOf(e.getMessage())), e);
        }
    }

    private List<YamlValue> documents() throws ManifestException {
        List<YamlValue> documents = new ArrayList<>();
        while (events.hasNext()) {
            Event event = events.next();
            switch (event.getEventId()) {
                case DocumentStart -> anchors.clear();
                case StreamStart, StreamEnd, DocumentEnd, Comment -> {}
                default -> {
                    YamlValue root = value(event, 1);
                    if (documents.size() == MAX_DOCUMENTS) {
                        throw problem(event, "more than " + MAX_DOCUMENTS + " documents");
                    }
                    if (!(root instanceof Scalar scalar && scalar.type() == ScalarType.NULL)) {
                        documents.add(root);
                    }
                }
            }
        }
        return documents;
    }

    private YamlValue value(Event event, int depth) throws ManifestException {
        if (depth > MAX_DEPTH) {
            throw problem(event, "nested more than " + MAX_DEPTH + " deep");
        }
        count(event, 1);
        if (event instanceof AliasEvent alias) {
            Anchored anchored = anchors.get(alias.getAlias());
            if (anchored == null) {
                throw problem(event, "alias *" + alias.getAlias() + " stands for nothing before it");
            }
            count(event, anchored.size);
            return anchored.value;
        }
        int before = values;
        YamlValue value = switch (event.getEventId()) {
            case Scalar -> scalar((ScalarEvent) event);
            case SequenceStart -> sequence(event, depth);
            case MappingStart -> mapping(event, depth);
            default -> throw problem(event, "a value is missing");
        };
        // An anchor counts from the end of its value on, so that a value cannot contain itself.
        ((NodeEvent) event).getAnchor().ifPresent(anchor -> anchors.put(anchor, new Anchored(value, values - before)));
        return value;
    }

    private Scalar scalar(ScalarEvent event) throws ManifestException {
        checkTag(event, event.getTag());
        boolean string = event.getTag().isPresent()
                || !event.isPlain()
                || event.getValue().length() > MAX_NUMBER_CHARS;
        Tag tag = string ? Tag.STR : RESOLVER.resolve(event.getValue(), true);
        return new Scalar(event.getValue(), SCALAR_TYPES.getOrDefault(tag, ScalarType.STRING), line(event));
    }

    private Sequence sequence(Event start, int depth) throws ManifestException {
        checkTag(start, ((CollectionStartEvent) start).getTag());
        List<YamlValue> items = new ArrayList<>();
        for (Event event = events.next(); event.getEventId() != Event.ID.SequenceEnd; event = events.next()) {
            items.add(value(event, depth + 1));
        }
        return new Sequence(Collections.unmodifiableList(items), line(start));
    }

    private Mapping mapping(Event start, int depth) throws ManifestException {
        checkTag(start, ((CollectionStartEvent) start).getTag());
        Map<String, YamlValue> fields = new LinkedHashMap<>();
        for (Event event = events.next(); event.getEventId() != Event.ID.MappingEnd; event = events.next()) {
            String key = key(event, depth);
            YamlValue value = value(events.next(), depth + 1);
            if (fields.putIfAbsent(key, value) != null) {
                throw problem(event, "key \"" + oneLine(key) + "\" is there twice");
            }
        }
        return new Mapping(Collections.unmodifiableMap(fields), line(start));
    }

    private String key(Event event, int depth) throws ManifestException {
        if (!(value(event, depth + 1) instanceof Scalar key)) {
            throw problem(event, "a key is no scalar");
        }
        if (key.text().equals(MERGE_KEY)) {
            throw problem(event, "merge keys (<<) are not supported");
        }
        return key.text();
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

    private static int line(Event event) {
        return event.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
    }

    private static String at(Optional<Mark> mark) {
        return mark.map(m -> "line " + (m.getLine() + 1) + ", column " + (m.getColumn() + 1) + ": ")
                .orElse("");
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }
}
