package dev.nodepath.apiserver.request;

import dev.nodepath.apiserver.store.ObjectSize;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.ConstructNode;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.constructor.json.ConstructYamlJsonFloat;
import org.snakeyaml.engine.v2.constructor.json.ConstructYamlJsonInt;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * YAML with the limits of {@link Json}. Lists and maps cannot be aliases. A text with several aliases is only once in
 * memory.
 */
final class BoundedYaml extends Load {
    private static final LoadSettings SETTINGS = LoadSettings.builder()
            .setMaxAliasesForCollections(0)
            .setTagConstructors(Map.of(
                    Tag.INT, shortNumber(new ConstructYamlJsonInt()),
                    Tag.FLOAT, shortNumber(new ConstructYamlJsonFloat())))
            .build();

    private BoundedYaml() {
        super(SETTINGS);
    }

    /**
     * The value of a document.
     *
     * @throws YamlEngineException if it is no document, or exceeds a limit
     */
    static @Nullable Object load(String text) {
        return new BoundedYaml().loadFromString(text);
    }

    @Override
    protected Composer createComposer(String text) {
        return new Composer(SETTINGS, new CountingParser(text));
    }

    /** Reading a number takes a time that grows with the square of its digits. */
    private static ConstructNode shortNumber(ConstructNode number) {
        return new ConstructNode() {
            @Override
            public @Nullable Object construct(@Nullable Node node) {
                if (node instanceof ScalarNode scalar && scalar.getValue().length() > Json.DIGITS_MAX) {
                    throw new YamlEngineException("a number of more than " + Json.DIGITS_MAX + " digits");
                }
                return number.construct(node);
            }
        };
    }

    private static final class CountingParser extends ParserImpl {
        private int count;
        private int level;

        CountingParser(String text) {
            super(SETTINGS, new StreamReader(SETTINGS, text));
        }

        @Override
        public Event next() {
            Event event = super.next();
            switch (event.getEventId()) {
                case MappingStart, SequenceStart -> level++;
                case MappingEnd, SequenceEnd -> level--;
                default -> {}
            }
            if (level > ObjectSize.LEVELS_MAX) {
                throw new YamlEngineException("more than " + ObjectSize.LEVELS_MAX + " levels");
            }
            if (++count > Json.TOKENS_MAX) {
                throw new YamlEngineException("more than " + Json.TOKENS_MAX + " values");
            }
            return event;
        }
    }
}
