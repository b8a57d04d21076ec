package dev.nodepath.endpoints.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.conntrack.ConntrackFlow.Tuple;
import dev.nodepath.linux.conntrack.FakeConntrack;
import dev.nodepath.linux.syscall.Errno;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BypassCleanerTest {
    private static final ServiceSnapshot WEB = Snapshots.service("a/web", "10.96.0.20", 80)
            .endpoint("10.244.0.3:8080", "n1")
            .build();
    private static final ConntrackFlow BYPASSED = flow("10.96.0.20", 80, 0, false);

    private final FakeConntrack conntrack = new FakeConntrack();
    private final ManualScheduler scheduler = new ManualScheduler();
    private final List<String> told = new ArrayList<>();
    private long fullSyncs = 1;

    private final BypassCleaner cleaner = new BypassCleaner(
            conntrack, List.of(IpFamily.IPV4), family -> fullSyncs, scheduler, new BypassCleaner.Listener() {
                @Override
                public void cleaned(IpFamily family, int removed, Duration took) {
                    told.add(family + " " + removed);
                }

                @Override
                public void failed(IpFamily family) {
                    told.add(family + " failed");
                }
            });

    private static ConntrackFlow flow(String to, int port, int zone, boolean answered) {
        IpAddress client = IpAddress.parse("10.244.9.9");
        IpAddress meant = IpAddress.parse(to);
        return new ConntrackFlow(
                6,
                new Tuple(client, meant, 40000, port, 0),
                new Tuple(meant, client, port, 40000, 0),
                zone,
                9,
                answered);
    }

    private void sync(ServiceSnapshot snapshot, String... changed) {
        ChangeSet changes =
                ChangeSet.of(List.of(changed).stream().map(Snapshots::portName).toList());
        cleaner.ended(snapshot, changes, EnumSet.allOf(IpFamily.class));
    }

    private void look() {
        scheduler.advance(Duration.ZERO);
    }

    @Test
    void forgetsConnectionsThatWereBegunBeforeTheirService() {
        List<ConntrackFlow> others = List.of(
                flow("10.244.0.3", 80, 0, false),
                flow("10.96.0.20", 81, 0, false),
                flow("10.96.0.20", 80, 7, false),
                flow("10.96.0.20", 80, 0, true));
        conntrack.add(BYPASSED);
        others.forEach(conntrack::add);
        sync(ServiceSnapshot.EMPTY);
        look();
        assertThat(conntrack.flows()).contains(BYPASSED);
        sync(WEB, "a/web");
        look();
        assertThat(conntrack.flows()).containsExactlyElementsOf(others);
        assertThat(told).containsExactly("IPv4 1");
    }

    @Test
    void keepsNoSyncWaiting() {
        sync(WEB, "a/web");
        assertThat(conntrack.listings()).as("on the syncing thread").isEmpty();
        look();
        assertThat(conntrack.listings()).hasSize(1);
    }

    @Test
    void asksTheKernelForTheNewAddressAlone() {
        sync(ServiceSnapshot.EMPTY);
        sync(WEB, "a/web");
        look();
        assertThat(conntrack.listings()).containsExactly("IPv4 6 to 10.96.0.20 unanswered");
    }

    @Test
    void asksOnceForSeveralAddresses() {
        ConntrackFlow other = flow("10.96.1.3", 80, 0, false);
        List.of(flow("10.96.1.1", 80, 0, false), flow("10.96.1.2", 80, 0, false), other)
                .forEach(conntrack::add);
        sync(Snapshots.service("a/one", "10.96.1.1", 80)
                .andService("a/other", "10.96.1.2", 80)
                .build());
        look();
        assertThat(conntrack.listings()).containsExactly("IPv4 6 unanswered");
        assertThat(conntrack.flows()).containsExactly(other);
    }

    @Test
    void asksForNothingWhenNoAddressIsNew() {
        sync(WEB, "a/web");
        look();
        conntrack.listings().clear();
        sync(WEB, "a/web");
        sync(WEB);
        look();
        assertThat(conntrack.listings()).isEmpty();
    }

    @Test
    void looksAgainAfterRulesWereRepaired() {
        sync(WEB, "a/web");
        look();
        conntrack.add(BYPASSED);
        sync(WEB);
        look();
        assertThat(conntrack.flows()).as("nothing was repaired").isNotEmpty();
        fullSyncs++;
        sync(WEB);
        look();
        assertThat(conntrack.flows()).isEmpty();
    }

    @Test
    void triesAgainSoonAfterAFailure() {
        conntrack.add(BYPASSED);
        conntrack.fail(Errno.ENOBUFS);
        sync(WEB, "a/web");
        look();
        assertThat(scheduler.waiting()).as("retries").isEqualTo(1);
        scheduler.advance(BypassCleaner.RETRY.first());
        assertThat(told).containsExactly("IPv4 failed", "IPv4 failed");
        conntrack.fail(Errno.UNKNOWN);
        scheduler.advance(BypassCleaner.RETRY.first());
        assertThat(conntrack.flows()).as("the second wait is longer").isNotEmpty();
        scheduler.advance(BypassCleaner.RETRY.first());
        assertThat(conntrack.flows()).isEmpty();
        assertThat(scheduler.waiting()).isZero();
    }

    @Test
    void aNewServiceDoesNotWaitForTheRetryOfAnother() {
        conntrack.fail(Errno.ENOBUFS);
        sync(WEB, "a/web");
        look();
        conntrack.fail(Errno.UNKNOWN);
        conntrack.add(BYPASSED);
        sync(
                Snapshots.service("a/web", "10.96.0.20", 80)
                        .andService("a/api", "10.96.0.21", 80)
                        .build(),
                "a/api");
        look();
        assertThat(conntrack.flows()).as("what was missed is in the same look").isEmpty();
        assertThat(scheduler.waiting()).isZero();
    }

    @Test
    void waitsForTheRulesOfItsFamily() {
        conntrack.add(BYPASSED);
        cleaner.ended(WEB, ChangeSet.of(WEB.services().keySet()), Set.of(IpFamily.IPV6));
        look();
        assertThat(conntrack.listings()).isEmpty();
        sync(WEB);
        look();
        assertThat(conntrack.flows()).isEmpty();
    }
}
