package dev.nodepath.apiserver.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObjectStoreTest {
    private static final String TEXT = "x".repeat(1024 * 1024);

    private final ObjectStore store = new ObjectStore(0, 10_000);

    /** The same texts are there once here; each write of a client would bring its own. */
    @Test
    void theHistoryOfLargeObjectsIsShort() {
        for (int i = 0; i < 200; i++) {
            put(TEXT);
        }
        assertThatThrownBy(() -> store.subscribe(Resources.CONFIG_MAPS, 1, event -> {}))
                .isInstanceOf(TooOldException.class);
        List<ChangeEvent> seen = new ArrayList<>();
        store.subscribe(Resources.CONFIG_MAPS, 195, seen::add);
        assertThat(seen).hasSize(5);
    }

    /** An object of 1 MB that takes 15 MB. */
    @Test
    void theHistoryOfObjectsWithManyValuesIsShort() {
        for (int i = 0; i < 20; i++) {
            ObjectNode map = TestCluster.tree("{'metadata':{'namespace':'default','name':'a'}}");
            for (int value = 0; value < 100_000; value++) {
                map.put("k" + value, "v");
            }
            store.put(Resources.CONFIG_MAPS, map);
        }
        assertThat(store.oldest()).isGreaterThan(5);
    }

    @Test
    void hasRoomForWhatDoesNotGrow() {
        ObjectStore small = new ObjectStore(0, 10, 3L * TEXT.length());
        ObjectNode first = object("a", TEXT);
        small.put(Resources.CONFIG_MAPS, first);
        small.put(Resources.CONFIG_MAPS, object("b", TEXT));
        assertThat(small.hasRoom(object("c", TEXT), Optional.empty())).isFalse();
        assertThat(small.hasRoom(object("a", TEXT + TEXT), Optional.of(first))).isFalse();
        assertThat(small.hasRoom(object("a", TEXT), Optional.of(first))).isTrue();
        small.put(Resources.CONFIG_MAPS, object("a", ""));
        assertThat(small.hasRoom(object("c", TEXT), Optional.empty())).isTrue();
        small.put(Resources.CONFIG_MAPS, object("c", TEXT));
        small.remove(Resources.CONFIG_MAPS, new ObjectKey("default", "b"));
        assertThat(small.hasRoom(object("d", TEXT), Optional.empty())).isTrue();
    }

    @Test
    void theHistoryOfSmallObjectsIsLong() {
        for (int i = 0; i < 5000; i++) {
            put("small");
        }
        List<ChangeEvent> seen = new ArrayList<>();
        store.subscribe(Resources.CONFIG_MAPS, 1, seen::add);
        assertThat(seen).hasSize(4999);
    }

    @Test
    void aListenerWithAnErrorKeepsNobodyFromGoingOn() {
        List<ChangeEvent> seen = new ArrayList<>();
        store.subscribe(Resources.CONFIG_MAPS, event -> {
            throw new StackOverflowError("a test");
        });
        store.subscribe(Resources.CONFIG_MAPS, seen::add);
        put("a");
        assertThat(seen).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
            {}            | 18
            []            | 18
            {'a':'b'}     | 26
            [1,22]        | 23
            ['ä']         | 23
            ['€']         | 24
            ['😀']        | 25
            """)
    void countsOctets(String json, int size) throws Exception {
        JsonNode tree = Json.MAPPER.readTree(json.replace('\'', '"'));
        assertThat(ObjectSize.of(tree, 1000)).isEqualTo(size);
    }

    @Test
    void aDeepTreeIsLargerThanAnyLimit() {
        JsonNode tree = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < ObjectSize.LEVELS_MAX; i++) {
            tree = JsonNodeFactory.instance.arrayNode().add(tree);
        }
        assertThat(ObjectSize.of(tree, 1_000_000)).isGreaterThan(1_000_000);
        assertThat(ObjectSize.of(tree.get(0), 1_000_000)).isLessThan(10_000);
    }

    private void put(String text) {
        store.put(Resources.CONFIG_MAPS, object("a", text));
    }

    private static ObjectNode object(String name, String text) {
        return TestCluster.tree("{'metadata':{'namespace':'default','name':'" + name + "'}}")
                .put("text", text);
    }
}
