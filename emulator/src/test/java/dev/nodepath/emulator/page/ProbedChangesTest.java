package dev.nodepath.emulator.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.ObjectRules;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProbedChangesTest {
    private static final Duration REST = Duration.ofMillis(20);

    private final ClusterApi api = new ClusterApi(new ObjectStore(1, 100), ObjectRules.NONE, InstantSource.system());
    private final ProbedChanges changes = new ProbedChanges();

    @BeforeEach
    void follow() {
        create(Resources.NAMESPACES, "", "default");
        changes.follow(api);
    }

    @AfterEach
    void close() {
        changes.close();
    }

    @Test
    void aPacketIsNotSentAgainIfNothingHasChanged() throws InterruptedException {
        assertThat(changes.awaitRest(REST, System.nanoTime())).isFalse();
    }

    @Test
    void aPacketThatWasSentBeforeAChangeIsSentAgain() throws InterruptedException {
        long sent = System.nanoTime();
        create(Resources.SERVICES, "default", "web");

        assertThat(changes.awaitRest(REST, sent)).isTrue();
    }

    /** Proxies had not followed when it was sent, though they have by the time that its traces are read. */
    @Test
    void aPacketThatWasLookedAtForLongIsSentAgain() throws InterruptedException {
        long sent = System.nanoTime();
        create(Resources.SERVICES, "default", "web");
        changes.awaitRest(REST, sent);

        assertThat(changes.awaitRest(REST, sent)).isTrue();
        assertThat(changes.awaitRest(REST, System.nanoTime())).isFalse();
    }

    private void create(Resource resource, String namespace, String name) {
        ObjectNode object = new ObjectMapper().createObjectNode();
        ObjectNode metadata = object.putObject("metadata").put("name", name);
        if (!namespace.isEmpty()) {
            metadata.put("namespace", namespace);
        }
        api.create(resource, object);
    }
}
