package dev.nodepath.endpoints.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.conntrack.ConntrackFlow.Tuple;
import dev.nodepath.linux.conntrack.FakeConntrack;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConntrackCleanerTest {
    private static final ConntrackFlow TO_GONE = flow(17, "10.96.0.10", "10.244.0.9", 1);
    private static final ConntrackFlow TO_LIVING = flow(17, "10.96.0.10", "10.244.0.2", 2);
    private static final ConntrackFlow TCP_TO_GONE = flow(6, "10.96.0.20", "10.244.0.9", 3);

    private final FakeConntrack conntrack = new FakeConntrack();
    private final ManualScheduler scheduler = new ManualScheduler();
    private final List<String> told = new ArrayList<>();
    private boolean broken;

    private static ConntrackFlow flow(int protocol, String to, String answering, int id) {
        IpAddress client = IpAddress.parse("10.244.9.9");
        return new ConntrackFlow(
                protocol,
                new Tuple(client, IpAddress.parse(to), 40000 + id, 53, 0),
                new Tuple(IpAddress.parse(answering), client, 5353, 40000 + id, 0),
                0,
                id);
    }

    private static Snapshots cluster() {
        return Snapshots.service("a/dns", Protocol.UDP, "10.96.0.10", 53)
                .endpoint("10.244.0.2:5353", "n1")
                .andService("a/web", "10.96.0.20", 53)
                .endpoint("10.244.0.3:5353", "n1");
    }

    private ConntrackCleaner cleaner(boolean tcp) throws LinuxNetException {
        ConntrackCleanerListener listener = new ConntrackCleanerListener() {
            @Override
            public void cleaned(IpFamily family, int removed, Duration duration) {
                if (broken) {
                    throw new IllegalStateException("broken on purpose");
                }
                told.add(family + " " + removed);
            }

            @Override
            public void failed(IpFamily family) {
                told.add(family + " failed");
            }
        };
        return new ConntrackCleaner(
                conntrack,
                new FakeLinuxNet().current(),
                "",
                NodePortAddresses.ALL,
                List.of(IpFamily.IPV4),
                tcp,
                listener,
                scheduler);
    }

    private static void sync(ConntrackCleaner cleaner, ServiceSnapshot snapshot, ChangeSet changed) {
        cleaner.ended(snapshot, changed, EnumSet.allOf(IpFamily.class));
    }

    @Test
    void looksAtEverythingAfterTheFirstSync() throws LinuxNetException {
        conntrack.add(TO_GONE);
        conntrack.add(TO_LIVING);
        conntrack.add(TCP_TO_GONE);
        sync(cleaner(false), cluster().build(), ChangeSet.NONE);
        assertThat(conntrack.flows()).containsExactly(TO_LIVING, TCP_TO_GONE);
        assertThat(told).as("no family that is not served").containsExactly("IPv4 1");
    }

    @Test
    void looksAgainOnlyWhenAServiceOfTheProtocolChanges() throws LinuxNetException {
        ConntrackCleaner cleaner = cleaner(false);
        sync(cleaner, cluster().build(), ChangeSet.NONE);
        conntrack.listings().clear();
        sync(cleaner, cluster().build(), ChangeSet.NONE);
        sync(cleaner, cluster().build(), ChangeSet.of(List.of(Snapshots.portName("a/web"))));
        assertThat(conntrack.listings()).isEmpty();
        sync(cleaner, cluster().build(), ChangeSet.of(List.of(Snapshots.portName("a/dns", Protocol.UDP))));
        assertThat(conntrack.listings()).containsExactly("IPv4 17");
    }

    @Test
    void resetsTcpIfToldTo() throws LinuxNetException {
        conntrack.add(TCP_TO_GONE);
        sync(cleaner(true), cluster().build(), ChangeSet.NONE);
        assertThat(conntrack.flows()).isEmpty();
    }

    @Test
    void leavesAFamilyWhoseRulesAreNotInForceForLater() throws LinuxNetException {
        ConntrackCleaner cleaner = cleaner(false);
        conntrack.add(TO_GONE);
        cleaner.ended(cluster().build(), ChangeSet.NONE, Set.of(IpFamily.IPV6));
        assertThat(conntrack.flows()).containsExactly(TO_GONE);
        cleaner.ended(cluster().build(), ChangeSet.NONE, Set.of(IpFamily.IPV4));
        assertThat(conntrack.flows()).isEmpty();
    }

    @Test
    void losesNoChangeWhereACleaningBreaks() throws LinuxNetException {
        ConntrackCleaner cleaner = cleaner(true);
        sync(cleaner, cluster().build(), ChangeSet.NONE);
        conntrack.add(TO_GONE);
        conntrack.add(TCP_TO_GONE);
        broken = true;
        sync(
                cleaner,
                cluster().build(),
                ChangeSet.of(cluster().build().services().keySet()));
        broken = false;
        sync(cleaner, cluster().build(), ChangeSet.NONE);
        assertThat(conntrack.flows()).isEmpty();
    }

    private ConntrackCleaner failsWhenAllServicesGo() throws LinuxNetException {
        ConntrackCleaner cleaner = cleaner(false);
        sync(cleaner, cluster().build(), ChangeSet.NONE);
        conntrack.add(TO_LIVING);
        conntrack.fail(Errno.ENOBUFS);
        told.clear();
        sync(
                cleaner,
                ServiceSnapshot.EMPTY,
                ChangeSet.of(cluster().build().services().keySet()));
        return cleaner;
    }

    @Test
    void triesAgainSoonAfterAFailure() throws LinuxNetException {
        ConntrackCleaner cleaner = failsWhenAllServicesGo();
        cleaner.ended(ServiceSnapshot.EMPTY, ChangeSet.NONE, Set.of());
        assertThat(scheduler.waiting()).as("one retry, however many syncs").isEqualTo(1);
        scheduler.advance(ConntrackCleaner.RETRY.first());
        assertThat(told).containsExactly("IPv4 failed", "IPv4 failed");
        conntrack.fail(Errno.UNKNOWN);
        scheduler.advance(ConntrackCleaner.RETRY.first());
        assertThat(conntrack.flows()).as("the second wait is longer").containsExactly(TO_LIVING);
        scheduler.advance(ConntrackCleaner.RETRY.first());
        assertThat(conntrack.flows()).isEmpty();
        assertThat(scheduler.waiting()).isZero();
    }

    @Test
    void makesUpForAFailureAfterTheNextSync() throws LinuxNetException {
        ConntrackCleaner cleaner = failsWhenAllServicesGo();
        assertThat(told).contains("IPv4 failed");
        conntrack.fail(Errno.UNKNOWN);
        sync(cleaner, ServiceSnapshot.EMPTY, ChangeSet.NONE);
        assertThat(conntrack.flows()).as("the deleted Service is remembered").isEmpty();
        assertThat(told).contains("IPv4 1");
    }
}
