package dev.nodepath.apiserver.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.Resources;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObjectStoreTest {
    private static final String TEXT = "x".repeat(1024 * 1024);

    private final ObjectStore store = new ObjectStore(0, 10_000);

    /** The same texts are there once here; each write of a client would bring its own. */
    @Test
    void theHistoryOfLargeObjectsIsShort() {
        for (int i = 0; i < 100; i++) {
            put(TEXT);
        }
        assertThatThrownBy(() -> store.subscribe(Resources.CONFIG_MAPS, 1, event -> {}))
                .isInstanceOf(TooOldException.class);
        List<ChangeEvent> seen = new ArrayList<>();
        store.subscribe(Resources.CONFIG_MAPS, 95, seen::add);
        assertThat(seen).hasSize(5);
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
        ObjectNode map = TestCluster.tree("{'metadata':{'namespace':'default','name':'a'}}");
        store.put(Resources.CONFIG_MAPS, map.put("text", text));
    }
}
