package dev.nodepath.bench.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.testbed.ApiObject.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchObjectsTest {
    private final BenchObjects store = new BenchObjects();

    @Test
    void tellsWhatHappenedSinceAVersionInOrder() {
        store.put(service("a"));
        long since = store.version();
        store.put(service("b"));
        store.put(service("b"));
        store.put(ApiObject.node("n1", "10.0.0.1"));
        store.delete(service("a"));
        store.delete(service("a"));
        assertThat(store.after(since, Kind.SERVICE, ""))
                .extracting(event -> event.line().substring(0, 18))
                .containsExactly("{\"type\":\"ADDED\",\"o", "{\"type\":\"MODIFIED\"", "{\"type\":\"DELETED\",");
        assertThat(store.after(since, Kind.SERVICE, "b")).hasSize(2);
        assertThat(store.after(store.version(), Kind.SERVICE, "")).isEmpty();
        assertThat(store.has(since)).isTrue();
    }

    @Test
    void listsInPagesUntilSomethingChanges() {
        for (String name : List.of("a", "b", "c")) {
            store.put(service(name));
        }
        BenchObjects.Page first = store.page(Kind.SERVICE, "", 2, "").orElseThrow();
        assertThat(first.objects()).hasSize(2);
        BenchObjects.Page second = store.page(Kind.SERVICE, "", 2, first.next()).orElseThrow();
        assertThat(second.objects()).singleElement().asString().contains("\"name\":\"c\"");
        assertThat(second.next()).isEmpty();
        store.put(service("d"));
        assertThat(store.page(Kind.SERVICE, "", 2, first.next())).isEmpty();
        assertThat(store.page(Kind.SERVICE, "d", 500, "").orElseThrow().objects())
                .hasSize(1);
    }

    private static ApiObject service(String name) {
        return ApiObject.service(name, "10.96.0.1", List.of(new ApiObject.Port("http", "TCP", 80, 8080)));
    }
}
