package dev.nodepath.apiserver.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.ObjectRules;
import dev.nodepath.apiserver.ObjectSelector;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.form.JsonForm;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Watches whose clients read little or nothing. */
class WatchBacklogTest {
    private static final long MAX = 1024 * 1024;

    private final ClusterApi api = new ClusterApi(new ObjectStore(0, 10_000), ObjectRules.NONE, InstantSource.system());
    private final EventEncoder encoder = new EventEncoder(MAX);
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<WatchSource> watches = new ArrayList<>();
    private int created;

    @BeforeEach
    void start() {
        api.create(Resources.NAMESPACES, TestCluster.tree("{'metadata':{'name':'default'}}"));
    }

    @AfterEach
    void stop() {
        timer.shutdownNow();
    }

    @Test
    void oneThatReadsSurvivesManyThatDoNot() {
        List<WatchSource> slow = watches(1200, OptionalLong.empty());
        WatchSource reader = watch(OptionalLong.empty());
        int read = 0;
        for (int i = 0; i < 200; i++) {
            create("x");
            assertThat(encoder.backlog().octets()).isLessThanOrEqualTo(MAX);
            read += readAll(reader);
        }
        assertThat(read).isEqualTo(200);
        assertThat(reader.ended()).isFalse();
        assertThat(slow).anyMatch(WatchSource::ended);
        WatchSource late = watch(OptionalLong.empty());
        assertThat(readAll(late)).isEqualTo(200);
        create("x");
        assertThat(readAll(late)).isOne();
    }

    @Test
    void aLargeChangeCountsOnceForAll() {
        List<WatchSource> slow = watches(100, OptionalLong.empty());
        create("x".repeat((int) MAX / 2));
        assertThat(slow).noneMatch(WatchSource::ended);
        assertThat(encoder.backlog().octets()).isBetween(MAX / 2, MAX);
        slow.forEach(WatchSource::close);
        assertThat(encoder.backlog().octets()).isZero();
    }

    /** A reader of small changes in a burst is not slow. */
    @Test
    void theWatchWithTheMostOctetsGoesFirst() {
        WatchSource many = watch(Resources.SECRETS, OptionalLong.empty());
        for (int i = 0; i < 30; i++) {
            create(Resources.SECRETS, "x");
        }
        WatchSource few = watch(OptionalLong.empty());
        for (int i = 0; i < 4; i++) {
            create("x".repeat((int) MAX / 4));
        }
        assertThat(List.of(many.ended(), few.ended())).containsExactly(false, true);
        assertThat(encoder.backlog().octets()).isLessThanOrEqualTo(MAX);
    }

    @Test
    void changesOfThePastCountToo() {
        for (int i = 0; i < 8; i++) {
            create("x".repeat((int) MAX / 4));
        }
        for (int i = 0; i < 8; i++) {
            watch(OptionalLong.of(1));
            assertThat(encoder.backlog().octets()).isLessThanOrEqualTo(MAX);
        }
        assertThat(watches).anyMatch(WatchSource::ended);
    }

    /** Ten thousand objects wait in no queue for a client that reads none of them. */
    @Test
    void whatIsThereFirstTakesNoPlace() {
        for (int i = 0; i < 1000; i++) {
            create("x");
        }
        WatchSource watch = watch(OptionalLong.empty());
        assertThat(encoder.backlog().octets()).isZero();
        create("x");
        assertThat(readAll(watch)).isEqualTo(1001);
        assertThat(encoder.backlog().octets()).isZero();
    }

    private List<WatchSource> watches(int count, OptionalLong since) {
        List<WatchSource> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            made.add(watch(since));
        }
        return made;
    }

    private WatchSource watch(OptionalLong since) {
        return watch(Resources.CONFIG_MAPS, since);
    }

    private WatchSource watch(Resource resource, OptionalLong since) {
        WatchSource watch = new WatchSource(
                api,
                new WatchOptions(
                        resource,
                        resource,
                        "",
                        ObjectSelector.ALL,
                        new JsonForm(resource),
                        since,
                        false,
                        false,
                        Duration.ofHours(1)),
                encoder,
                timer);
        watch.start(() -> {});
        watches.add(watch);
        return watch;
    }

    private static int readAll(WatchSource watch) {
        int lines = 0;
        for (byte[] line = watch.poll(); line != null; line = watch.poll()) {
            assertThat(new String(line, StandardCharsets.UTF_8)).startsWith("{\"type\":\"ADDED\"");
            lines++;
        }
        return lines;
    }

    private void create(String text) {
        create(Resources.CONFIG_MAPS, text);
    }

    private void create(Resource resource, String text) {
        api.create(
                resource,
                TestCluster.tree("{'metadata':{'namespace':'default','name':'m" + created++ + "'},'data':{'a':'" + text
                        + "'}}"));
    }
}
