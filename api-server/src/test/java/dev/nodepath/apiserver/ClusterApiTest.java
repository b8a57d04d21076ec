package dev.nodepath.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.apiserver.store.TooOldException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClusterApiTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final ObjectKey KEY = new ObjectKey("default", "a");

    private final ClusterApi api = new ClusterApi(new ObjectStore(100, 5), ObjectRules.NONE, InstantSource.fixed(NOW));

    @BeforeEach
    void createNamespace() {
        api.create(Resources.NAMESPACES, object("{'name':'default'}", ""));
    }

    /** However long a change takes, others read and write. */
    @Test
    void nobodyWaitsForAChangeThatIsWorkedOut() {
        create(Resources.DEPLOYMENTS, "", ",'spec':{}");
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            api.modify(Resources.DEPLOYMENTS, KEY, "", object -> {
                try {
                    other.submit(() -> create(Resources.CONFIG_MAPS, "", "")).get(5, TimeUnit.MINUTES);
                } catch (InterruptedException | ExecutionException | TimeoutException e) {
                    throw new AssertionError(e);
                }
                return object;
            });
        } finally {
            other.shutdownNow();
        }
        assertThat(api.find(Resources.CONFIG_MAPS, KEY)).isPresent();
    }

    @Test
    void aChangeIsWorkedOutAnewWhenAnotherCameInBetween() {
        create(Resources.DEPLOYMENTS, "", ",'spec':{'replicas':0}");
        List<Integer> seen = new ArrayList<>();
        api.modify(Resources.DEPLOYMENTS, KEY, "", object -> {
            seen.add(object.path("spec").path("replicas").asInt());
            if (seen.size() <= 3) {
                add();
            }
            return plusOne(object);
        });
        assertThat(seen).containsExactly(0, 1, 2, 3);
        assertThat(api.get(Resources.DEPLOYMENTS, KEY)
                        .path("spec")
                        .path("replicas")
                        .asInt())
                .isEqualTo(4);
    }

    @Test
    void triesNotForEver() {
        create(Resources.DEPLOYMENTS, "", ",'spec':{'replicas':0}");
        assertThatThrownBy(() -> api.modify(Resources.DEPLOYMENTS, KEY, "", object -> {
                    add();
                    return plusOne(object);
                }))
                .isInstanceOfSatisfying(
                        StatusException.class, e -> assertThat(e.code()).isEqualTo(409));
    }

    @Test
    void refusesWhatTheStoreHasNoRoomFor() {
        ClusterApi full = new ClusterApi(new ObjectStore(0, 5, 2000), ObjectRules.NONE, InstantSource.system());
        full.create(Resources.NAMESPACES, object("{'name':'default'}", ""));
        ObjectNode map = object("{'namespace':'default','name':'a'}", ",'data':{'a':'" + "x".repeat(1000) + "'}");
        assertThatThrownBy(() -> full.create(Resources.CONFIG_MAPS, map.deepCopy()))
                .isInstanceOfSatisfying(
                        StatusException.class, e -> assertThat(e.code()).isEqualTo(507));
        assertThatThrownBy(() -> full.modify(
                        Resources.NAMESPACES,
                        new ObjectKey("", "default"),
                        "",
                        each -> each.put("text", "x".repeat(2000))))
                .isInstanceOfSatisfying(
                        StatusException.class, e -> assertThat(e.code()).isEqualTo(507));
        full.delete(Resources.NAMESPACES, new ObjectKey("", "default"), Deletion.NOW);
    }

    private void add() {
        api.modify(Resources.DEPLOYMENTS, KEY, "", ClusterApiTest::plusOne);
    }

    private static ObjectNode plusOne(ObjectNode object) {
        ObjectNode spec = object.withObjectProperty("spec");
        spec.put("replicas", spec.path("replicas").asInt() + 1);
        return object;
    }

    @Test
    void completesTheMetadataOfANewObject() {
        ObjectNode created = api.create(
                Resources.DEPLOYMENTS,
                object(
                        "{'generateName':'web-','namespace':'default','resourceVersion':'7','uid':'mine'}",
                        ",'spec':{}"));
        JsonNode metadata = created.path("metadata");
        assertThat(metadata.path("name").asText()).matches("web-[bcdfghjklmnpqrstvwxz2456789]{5}");
        assertThat(metadata.path("uid").asText()).hasSize(36);
        assertThat(metadata.path("creationTimestamp").asText()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(metadata.path("generation").asInt()).isEqualTo(1);
        assertThat(metadata.path("resourceVersion").asText()).isEqualTo("102");
        assertThat(created.path("kind").asText()).isEqualTo("Deployment");
    }

    /** It is the only kind here that has a generation but no spec. */
    @Test
    void countsTheContentsOfAnEndpointSlice() {
        ObjectNode slice = create(Resources.ENDPOINT_SLICES, "", ",'addressType':'IPv4','endpoints':[]");
        assertThat(generation(slice)).isEqualTo(1);
        slice = slice.deepCopy();
        slice.withArrayProperty("endpoints").addObject().putArray("addresses").add("10.244.1.2");
        assertThat(generation(api.update(Resources.ENDPOINT_SLICES, slice))).isEqualTo(2);
    }

    @Test
    void onlyAChangeOfTheSpecMakesANewGeneration() {
        create(Resources.DEPLOYMENTS, "", ",'spec':{'replicas':1}");
        assertThat(generation(modify("{'metadata':{'labels':{'x':'y'}}}"))).isEqualTo(1);
        assertThat(generation(modify("{'spec':{'replicas':2}}"))).isEqualTo(2);
        ObjectNode status = api.get(Resources.DEPLOYMENTS, KEY).deepCopy();
        status.putObject("status").put("replicas", 2);
        status.withObjectProperty("spec").put("replicas", 9);
        ObjectNode updated = api.modify(Resources.DEPLOYMENTS, KEY, "status", before -> status);
        assertThat(generation(updated)).isEqualTo(2);
        assertThat(updated.path("spec").path("replicas").asInt()).isEqualTo(2);
        assertThat(updated.path("status").path("replicas").asInt()).isEqualTo(2);
    }

    @Test
    void aStatusUpdateWithoutStatusRemovesIt() {
        create(Resources.DEPLOYMENTS, "", ",'status':{'replicas':1}");
        ObjectNode without = api.get(Resources.DEPLOYMENTS, KEY).deepCopy();
        without.remove("status");
        assertThat(api.modify(Resources.DEPLOYMENTS, KEY, "status", before -> without)
                        .has("status"))
                .isFalse();
    }

    @Test
    void writesNothingWhenNothingChanges() {
        ObjectNode created = create(Resources.CONFIG_MAPS, "", "");
        assertThat(api.modify(Resources.CONFIG_MAPS, KEY, "", same -> same)).isSameAs(created);
    }

    @Test
    void refusesAnOldVersionAndAnotherObject() {
        ObjectNode old = create(Resources.CONFIG_MAPS, "", "").deepCopy();
        ObjectNode other = old.deepCopy();
        other.withObjectProperty("metadata").put("uid", "other").remove("resourceVersion");
        api.update(Resources.CONFIG_MAPS, object("{'name':'a','namespace':'default'}", ",'data':{'x':'y'}"));
        assertThatThrownBy(() -> api.update(Resources.CONFIG_MAPS, old)).hasMessageContaining("has been modified");
        assertThatThrownBy(() -> api.update(Resources.CONFIG_MAPS, other))
                .hasMessageContaining("UID in precondition: other");
    }

    @Test
    void aPodOnANodeIsMarkedAndThenDeleted() {
        create(Resources.PODS, "", ",'spec':{'nodeName':'n','terminationGracePeriodSeconds':5}");
        JsonNode marked = api.delete(Resources.PODS, KEY, Deletion.DEFAULT).path("metadata");
        assertThat(marked.path("deletionTimestamp").asText()).isEqualTo("2026-01-01T00:00:05Z");
        assertThat(api.delete(Resources.PODS, KEY, new Deletion(OptionalLong.of(9), "Background", "", ""))
                        .path("metadata")
                        .path("deletionGracePeriodSeconds")
                        .asInt())
                .as("a longer grace changes nothing")
                .isEqualTo(5);
        api.delete(Resources.PODS, KEY, Deletion.NOW);
        assertThat(api.find(Resources.PODS, KEY)).isEmpty();
    }

    @Test
    void finalizersHoldAnObjectUntilTheLastIsRemoved() {
        create(Resources.DEPLOYMENTS, "", "");
        api.delete(Resources.DEPLOYMENTS, KEY, new Deletion(OptionalLong.empty(), "Foreground", "", ""));
        assertThat(api.get(Resources.DEPLOYMENTS, KEY)
                        .path("metadata")
                        .path("finalizers")
                        .path(0)
                        .asText())
                .isEqualTo("foregroundDeletion");
        api.modify(Resources.DEPLOYMENTS, KEY, "", each -> {
            each.withObjectProperty("metadata").remove("finalizers");
            return each;
        });
        assertThat(api.find(Resources.DEPLOYMENTS, KEY)).isEmpty();
    }

    @Test
    void aNamespaceThatEndsTakesNothingNew() {
        api.modify(Resources.NAMESPACES, new ObjectKey("", "default"), "", each -> {
            each.putObject("spec").putArray("finalizers").add("kubernetes");
            return each;
        });
        api.delete(Resources.NAMESPACES, new ObjectKey("", "default"), Deletion.DEFAULT);
        assertThatThrownBy(() -> create(Resources.CONFIG_MAPS, "", ""))
                .isInstanceOfSatisfying(
                        StatusException.class, e -> assertThat(e.code()).isEqualTo(403));
    }

    @Test
    void aListenerThatFailsStopsNobody() {
        List<String> seen = new ArrayList<>();
        api.subscribe(Resources.CONFIG_MAPS, event -> {
            throw new IllegalStateException("a fault of a listener");
        });
        api.subscribe(Resources.CONFIG_MAPS, event -> seen.add(event.type() + " " + event.key()));
        create(Resources.CONFIG_MAPS, "", "");
        api.delete(Resources.CONFIG_MAPS, KEY, Deletion.DEFAULT);
        assertThat(seen).containsExactly("ADDED default/a", "DELETED default/a");
    }

    @Test
    void aSubscriptionFromThePastGetsWhatFollowedOrIsRefused() {
        long start = api.store().version();
        create(Resources.CONFIG_MAPS, "", "");
        api.delete(Resources.CONFIG_MAPS, KEY, Deletion.DEFAULT);
        List<ChangeEvent.Type> seen = new ArrayList<>();
        api.subscribe(Resources.CONFIG_MAPS, start, event -> seen.add(event.type()));
        assertThat(seen).containsExactly(ChangeEvent.Type.ADDED, ChangeEvent.Type.DELETED);
        for (int i = 0; i < 3; i++) {
            create(Resources.CONFIG_MAPS, "", "");
            api.delete(Resources.CONFIG_MAPS, KEY, Deletion.DEFAULT);
        }
        assertThatThrownBy(() -> api.subscribe(Resources.CONFIG_MAPS, start, event -> {}))
                .isInstanceOf(TooOldException.class);
    }

    private ObjectNode create(Resource resource, String metadata, String rest) {
        return api.create(resource, object("{'name':'a','namespace':'default'" + metadata + "}", rest));
    }

    private ObjectNode modify(String change) {
        return api.modify(Resources.DEPLOYMENTS, KEY, "", object -> {
            dev.nodepath.apiserver.patch.MergePatch.apply(object, TestCluster.tree(change));
            return object;
        });
    }

    private static long generation(ObjectNode object) {
        return object.path("metadata").path("generation").asLong();
    }

    private static ObjectNode object(String metadata, String rest) {
        return TestCluster.tree("{'metadata':" + metadata + rest + "}");
    }
}
