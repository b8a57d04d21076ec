package dev.nodepath.endpoints.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.time.BackOff;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SyncLoopTest {
    private static final ServiceSnapshot ONE =
            Snapshots.service("default/a", "10.96.0.1", 80).build();
    private static final ServiceSnapshot TWO = Snapshots.service("default/a", "10.96.0.1", 80)
            .andService("default/b", "10.96.0.2", 80)
            .build();
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final BackOff EACH_SECOND = new BackOff(SECOND, SECOND);
    private static final SyncPolicy POLICY =
            new SyncPolicy(SECOND, new BackOff(Duration.ofSeconds(2), Duration.ofSeconds(10)), Optional.empty());

    private final ManualScheduler scheduler = new ManualScheduler();
    private final LogCapture log = new LogCapture(SyncLoop.class);
    private final RecordingProxy proxy = new RecordingProxy(scheduler);

    @AfterEach
    void stopLogging() {
        log.close();
    }

    @Test
    void theFirstOfferIsSyncedAtOnceEvenIfEmpty() {
        SyncLoop loop = loop(POLICY);
        loop.offer(ServiceSnapshot.EMPTY, ChangeSet.NONE);
        scheduler.advance(Duration.ZERO);

        assertThat(proxy.calls).containsExactly(call(0, ServiceSnapshot.EMPTY));

        loop.offer(ServiceSnapshot.EMPTY, ChangeSet.NONE);
        scheduler.advance(Duration.ofHours(1));
        assertThat(proxy.calls).hasSize(1);
        assertThat(scheduler.waiting()).isZero();
    }

    @Test
    void theIntervalRunsFromTheEndOfASyncAndWhatComesMeanwhileJoins() {
        SyncLoop loop = loop(POLICY);
        proxy.takes = Duration.ofMillis(700);
        loop.offer(ONE, change("default/a"));
        scheduler.advance(Duration.ZERO);
        scheduler.advance(Duration.ofMillis(100));
        loop.offer(TWO, change("default/b"));
        loop.offer(ONE, change("default/b"));
        loop.offer(TWO, change("default/b", "default/c"));
        scheduler.advance(Duration.ofMinutes(1));

        assertThat(proxy.calls).containsExactly(call(0, ONE, "default/a"), call(1700, TWO, "default/b", "default/c"));
    }

    @ParameterizedTest
    @CsvSource({"3, 0, 21", "100, 0, 700", "400, 0, 1000", "3, 250, 250", "400, 2000, 2000", "0, 0, 0"})
    void thePauseFollowsTheCostOfASyncUpToASecondAndIsAtLeastTheInterval(long cost, long interval, long pause) {
        SyncLoop loop = loop(new SyncPolicy(Duration.ofMillis(interval), EACH_SECOND, Optional.empty()));
        proxy.takes = Duration.ofMillis(cost);
        loop.offer(ONE, change("default/a"));
        scheduler.advance(Duration.ZERO);
        loop.offer(TWO, change("default/b"));
        scheduler.advance(Duration.ofMinutes(1));

        assertThat(proxy.calls).containsExactly(call(0, ONE, "default/a"), call(cost + pause, TWO, "default/b"));
    }

    @Test
    void thePauseIsNoLongerThanTheSyncPeriod() {
        Duration period = Duration.ofMillis(200);
        SyncLoop loop = loop(new SyncPolicy(Duration.ZERO, EACH_SECOND, Optional.of(period)));
        proxy.takes = Duration.ofMillis(400);
        loop.offer(ONE, change("default/a"));
        scheduler.advance(Duration.ZERO);
        loop.offer(TWO, change("default/b"));
        scheduler.advance(Duration.ofMillis(700));

        assertThat(proxy.calls).containsExactly(call(0, ONE, "default/a"), call(600, TWO, "default/b"));
    }

    @Test
    void theTimeOfTheListenerCounts() {
        SyncListener slow = new SyncListener() {
            @Override
            public void ended(ServiceSnapshot snapshot, ChangeSet changed, Set<IpFamily> inForce) {
                scheduler.advance(Duration.ofMillis(10));
            }
        };
        SyncPolicy policy = new SyncPolicy(Duration.ZERO, EACH_SECOND, Optional.empty());
        SyncLoop loop = new SyncLoop(proxy, policy, scheduler, new Random(1), slow);
        loop.offer(ONE, change("default/a"));
        scheduler.advance(Duration.ZERO);
        loop.offer(TWO, change("default/b"));
        scheduler.advance(Duration.ofMinutes(1));

        assertThat(proxy.calls).containsExactly(call(0, ONE, "default/a"), call(80, TWO, "default/b"));
    }

    @Test
    void aChangeAfterAQuietTimeIsSyncedAtOnce() {
        SyncLoop loop = loop(POLICY);
        loop.offer(ONE, change("default/a"));
        scheduler.advance(Duration.ofSeconds(5));
        loop.offer(TWO, change("default/b"));
        scheduler.advance(Duration.ZERO);

        assertThat(proxy.calls).containsExactly(call(0, ONE, "default/a"), call(5000, TWO, "default/b"));
    }

    @Test
    void whatComesDuringASyncIsSyncedByTheNext() {
        SyncLoop loop = loop(POLICY);
        proxy.during = () -> {
            proxy.during = () -> {};
            loop.offer(TWO, change("default/b"));
            scheduler.advance(Duration.ofSeconds(3));
        };
        loop.offer(ONE, change("default/a"));
        scheduler.advance(Duration.ofMinutes(1));

        assertThat(proxy.calls).containsExactly(call(0, ONE, "default/a"), call(4000, TWO, "default/b"));
    }

    @Test
    void whatComesDuringASyncThatFailsIsTriedTogetherWithIt() {
        SyncLoop loop = loop(POLICY);
        proxy.failures = 1;
        proxy.during = () -> {
            proxy.during = () -> {};
            loop.offer(TWO, change("default/b"));
        };
        loop.offer(ONE, change("default/a"));
        scheduler.advance(Duration.ofMinutes(1));

        assertThat(proxy.calls).hasSize(2);
        assertThat(proxy.calls.get(1).snapshot()).isEqualTo(TWO);
        assertThat(proxy.calls.get(1).changed()).isEqualTo(change("default/a", "default/b"));
    }

    @Test
    void retriesWithGrowingWaitsAndEverythingUnapplied() {
        SyncLoop loop = loop(POLICY);
        proxy.failures = 6;
        loop.offer(ONE, change("default/a"));
        scheduler.advance(Duration.ofMinutes(5));

        assertThat(proxy.calls).hasSize(7).allMatch(call -> call.changed().equals(change("default/a")));
        List<Duration> waits = proxy.waits();
        List<Integer> bounds = List.of(2, 4, 8, 10, 10, 10);
        for (int i = 0; i < bounds.size(); i++) {
            assertThat(waits.get(i))
                    .isBetween(Duration.ofMillis(bounds.get(i) * 500), Duration.ofSeconds(bounds.get(i)));
        }
        assertThat(waits.subList(3, 6)).doesNotHaveDuplicates();
        assertThat(scheduler.waiting()).isZero();
    }

    @Test
    void aNewChangeDoesNotWaitOutTheBackoff() {
        SyncLoop loop = loop(POLICY);
        proxy.failures = 4;
        loop.offer(ONE, change("default/a"));
        while (proxy.calls.size() < 4) {
            scheduler.advance(Duration.ofMillis(1));
        }
        long failedAt = proxy.calls.get(3).atMillis();
        loop.offer(TWO, change("default/b"));
        scheduler.advance(Duration.ofMinutes(1));

        assertThat(proxy.calls.get(4)).isEqualTo(call(failedAt + 2000, TWO, "default/a", "default/b"));
        assertThat(proxy.calls).hasSize(5);
    }

    @Test
    void theWaitStartsSmallAgainAfterASuccess() {
        SyncLoop loop = loop(POLICY);
        proxy.failures = 5;
        loop.offer(ONE, change("default/a"));
        scheduler.advance(Duration.ofMinutes(5));
        proxy.failures = 1;
        proxy.calls.clear();
        loop.offer(TWO, change("default/b"));
        scheduler.advance(Duration.ofMinutes(5));

        assertThat(proxy.calls).hasSize(2);
        assertThat(proxy.waits().get(0)).isBetween(SECOND, Duration.ofSeconds(2));
    }

    @Test
    void noErrorKillsTheLoop() {
        for (Throwable error : List.of(
                new IllegalStateException("broken"), new NoClassDefFoundError("gone"), new StackOverflowError())) {
            SyncLoop loop = loop(POLICY);
            proxy.calls.clear();
            proxy.failures = 1;
            proxy.error = error;
            loop.offer(ONE, change("default/a"));
            scheduler.advance(Duration.ofMinutes(1));

            assertThat(proxy.calls).hasSize(2);
            assertThat(log.lines("error=" + error)).hasSize(1);
        }
    }

    @Test
    void aListenerThatThrowsKillsNothing() {
        SyncLoop loop = new SyncLoop(proxy, POLICY, scheduler, new Random(1), new SyncListener() {
            @Override
            public void synced(
                    ServiceSnapshot snapshot, ChangeSet changed, Duration duration, Optional<Duration> waited) {
                throw new IllegalStateException("listener");
            }
        });
        loop.offer(ONE, change("default/a"));
        scheduler.advance(SECOND);
        loop.offer(TWO, change("default/b"));
        scheduler.advance(SECOND);

        assertThat(proxy.calls).hasSize(2);
    }

    @Test
    void theSyncPeriodForcesASyncWithoutChanges() {
        SyncLoop loop = loop(new SyncPolicy(SECOND, EACH_SECOND, Optional.of(Duration.ofSeconds(30))));
        loop.offer(ONE, change("default/a"));
        scheduler.advance(Duration.ofSeconds(20));
        loop.offer(TWO, change("default/b"));
        scheduler.advance(Duration.ofSeconds(70));

        assertThat(proxy.calls)
                .containsExactly(
                        call(0, ONE, "default/a"),
                        call(20_000, TWO, "default/b"),
                        call(50_000, TWO),
                        call(80_000, TWO));
        assertThat(scheduler.waiting()).isEqualTo(1);
    }

    @Test
    void theSyncPeriodBoundsTheBackoff() {
        SyncLoop loop = loop(
                new SyncPolicy(SECOND, new BackOff(SECOND, Duration.ofHours(1)), Optional.of(Duration.ofSeconds(5))));
        proxy.failures = 20;
        loop.offer(ONE, change("default/a"));
        scheduler.advance(Duration.ofMinutes(2));

        assertThat(proxy.calls).hasSizeGreaterThan(21);
        assertThat(proxy.waits()).allMatch(wait -> wait.compareTo(Duration.ofSeconds(5)) <= 0);
    }

    @Test
    void whatWaitsWhenItIsClosedIsSyncedAtOnce() {
        SyncLoop loop = loop(POLICY);
        loop.offer(ONE, change("default/a"));
        scheduler.advance(Duration.ZERO);
        loop.offer(TWO, change("default/b"));
        scheduler.advance(Duration.ofMillis(10));
        loop.close();
        assertThat(proxy.calls).containsExactly(call(0, ONE, "default/a"), call(10, TWO, "default/b"));
        loop.close();
        assertThat(proxy.calls).hasSize(2);
    }

    @Test
    void theTryAtTheEndIsTheLast() {
        SyncLoop loop = loop(POLICY);
        loop.offer(ONE, change("default/a"));
        scheduler.advance(Duration.ZERO);
        proxy.failures = 10;
        loop.offer(TWO, change("default/b"));
        loop.close();
        scheduler.advance(Duration.ofMinutes(1));
        assertThat(proxy.calls).containsExactly(call(0, ONE, "default/a"), call(0, TWO, "default/b"));
    }

    @Test
    void aLoopThatHasOnlyFailedTriesNothingAtTheEnd() {
        SyncLoop loop = loop(POLICY);
        proxy.failures = 1;
        loop.offer(ONE, change("default/a"));
        scheduler.advance(Duration.ZERO);
        loop.close();
        assertThat(proxy.calls).containsExactly(call(0, ONE, "default/a"));
    }

    @Test
    void closingEndsEverything() {
        SyncLoop loop = loop(POLICY);
        loop.offer(ONE, change("default/a"));
        loop.close();
        loop.offer(TWO, change("default/b"));
        scheduler.advance(Duration.ofMinutes(1));

        assertThat(scheduler.isClosed()).isTrue();
        assertThat(proxy.calls).isEmpty();
    }

    @Test
    void logsEachSyncWithTheNewestTriggerItCovers() {
        Instant trigger = ManualScheduler.START.plusMillis(1).plusNanos(1_001);
        SyncLoop loop = loop(POLICY);
        loop.offer(ONE, change(ManualScheduler.START.minusMillis(1500), "default/a"));
        scheduler.advance(SECOND);
        proxy.failures = 1;
        loop.offer(TWO, change(trigger, "default/b"));
        loop.offer(ONE, change(trigger.minusMillis(7), "default/b", "default/c"));
        scheduler.advance(Duration.ZERO);
        proxy.takes = Duration.ofMillis(12);
        scheduler.advance(Duration.ofMinutes(1));

        Instant end = ManualScheduler.START.plus(proxy.lastEnd);
        long latency = Duration.between(trigger, end).toMillis();
        long waited = Duration.between(ManualScheduler.START.plus(SECOND), end).toMillis() - 12;
        assertThat(log.lines("proxy.synced"))
                .containsExactly(
                        "changed=1 services=1 duration_ms=0 waited_ms=0 trigger=2025-12-31T23:59:58.500Z proxy.synced",
                        "changed=2 services=1 duration_ms=12 waited_ms=" + waited
                                + " trigger=2026-01-01T00:00:00.001001001Z latency_ms=" + latency + " proxy.synced");
        assertThat(log.lines("proxy.sync_failed"))
                .singleElement()
                .asString()
                .matches("error=refused retry_ms=1[0-9]{3} .*");
    }

    @Test
    void anIdleProxysSyncsAreNoEvents() {
        SyncLoop loop = loop(new SyncPolicy(
                SECOND,
                new BackOff(Duration.ofSeconds(2), Duration.ofSeconds(10)),
                Optional.of(Duration.ofSeconds(30))));
        loop.offer(ONE, ChangeSet.NONE);
        scheduler.advance(Duration.ofHours(1));
        assertThat(log.events("proxy.synced")).as("the first one").hasSize(1);
        assertThat(log.lines("proxy.synced")).hasSizeGreaterThan(100);

        proxy.failures = 1;
        scheduler.advance(Duration.ofMinutes(2));
        assertThat(log.events("proxy.synced")).as("the one after a failure").hasSize(2);
    }

    @Test
    void tellsWhatIsPendingUntilItIsInForce() {
        SyncLoop loop = loop(POLICY);
        proxy.failures = 1;
        proxy.during = () -> assertThat(loop.stats().endpointChangesPending()).isPositive();
        loop.offer(ONE, change(ManualScheduler.START, "default/a", "default/b"));
        assertThat(loop.stats().endpointChangesPending()).isEqualTo(2);
        scheduler.advance(Duration.ZERO);
        loop.offer(TWO, change(ManualScheduler.START, "default/a"));

        SyncStats behind = loop.stats();
        assertThat(behind.failures()).isEqualTo(1);
        assertThat(behind.endpointChanges()).isEqualTo(3);
        assertThat(behind.endpointChangesPending()).isEqualTo(3);
        assertThat(behind.pendingSince()).contains(ManualScheduler.START);
        assertThat(behind.lastSynced()).isEmpty();

        scheduler.advance(Duration.ofSeconds(5));

        SyncStats done = loop.stats();
        assertThat(done.endpointChanges()).isEqualTo(3);
        assertThat(done.endpointChangesPending()).isZero();
        assertThat(done.pendingSince()).isEmpty();
        assertThat(done.lastQueued()).contains(ManualScheduler.START);
        assertThat(done.lastSynced()).contains(ManualScheduler.START.plus(proxy.lastEnd));
    }

    @Test
    void refusesImpossiblePolicies() {
        assertThatThrownBy(() -> new SyncPolicy(Duration.ofSeconds(-1), EACH_SECOND, Optional.empty()))
                .hasMessage("minInterval: PT-1S (expected: >= 0)");
        assertThatThrownBy(() -> new SyncPolicy(SECOND, EACH_SECOND, Optional.of(Duration.ZERO)))
                .hasMessage("syncPeriod: PT0S (expected: > 0)");
        assertThatThrownBy(() -> new SyncPolicy(Duration.ofMinutes(1), EACH_SECOND, Optional.of(SECOND)))
                .hasMessage("syncPeriod: PT1S (expected: >= the least, PT1M)");
    }

    private SyncLoop loop(SyncPolicy policy) {
        return new SyncLoop(proxy, policy, scheduler, new Random(1), SyncListener.NONE);
    }

    private static ChangeSet change(String... names) {
        return ChangeSet.of(Stream.of(names).map(Snapshots::portName).toList());
    }

    private static ChangeSet change(Instant trigger, String... names) {
        ServicePortName first = Snapshots.portName(names[0]);
        return new ChangeSet(
                change(names).servicePorts(),
                false,
                new TreeMap<>(Map.of(first.service(), List.of(trigger))),
                0,
                names.length);
    }

    private static RecordingProxy.Call call(long atMillis, ServiceSnapshot snapshot, String... changed) {
        return new RecordingProxy.Call(atMillis, snapshot, change(changed));
    }
}
