package dev.nodepath.endpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.EndpointSlice.Address;
import dev.nodepath.endpoints.EndpointSlice.Port;
import dev.nodepath.linux.address.IpAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SnapshotTrackerTest {
    private static final NamespacedName WEB = new NamespacedName("default", "web");
    private static final ServicePortName HTTP = Snapshots.portName("default/web:http");
    private static final ServicePortName DNS = Snapshots.portName("default/web:dns", Protocol.UDP);
    private static final Port HTTP_8080 = new Port("http", Protocol.TCP, 8080);
    private static final Instant EARLY = Instant.parse("2026-01-01T00:00:00.5Z");
    private static final Instant LATE = EARLY.plusNanos(1);

    private final SnapshotTracker tracker = new SnapshotTracker();

    @Test
    void mergesTheSlicesOfAServiceEachEndpointOnceInOrderOfItsText() {
        tracker.put(service(HTTP));
        tracker.put(slice("b", HTTP_8080, "10.0.0.2", "10.0.0.3"));
        tracker.put(slice("a", HTTP_8080, "10.0.0.10", "10.0.0.2"));
        tracker.put(slice("c", HTTP_8080, "fd00::1"));

        var update = tracker.commit();

        assertThat(update.snapshot())
                .isEqualTo(Snapshots.service("default/web:http", "10.96.0.10", 80)
                        .endpoint("10.0.0.10:8080", "n1")
                        .endpoint("10.0.0.2:8080", "n1")
                        .endpoint("10.0.0.3:8080", "n1")
                        .endpoint("[fd00::1]:8080", "n1")
                        .build());
        assertChange(update.change(), Map.of(), HTTP);
    }

    @Test
    @SuppressWarnings("NullAway") // a port that no commit can take
    void losesNoChangeWhenACommitFails() {
        tracker.put(service(HTTP, new ServicePortName(WEB, null, Protocol.TCP)));
        assertThatThrownBy(tracker::commit).isInstanceOf(NullPointerException.class);
        tracker.put(service(HTTP));
        assertThat(tracker.commit().change().servicePorts()).containsExactly(HTTP);
    }

    @Test
    void matchesPortsByNameAndProtocol() {
        tracker.put(service(HTTP, DNS));
        List<Port> ports = List.of(
                HTTP_8080,
                new Port("dns", Protocol.UDP, 53),
                new Port("metrics", Protocol.TCP, 9090),
                new Port("", Protocol.TCP, 1));
        tracker.put(new EndpointSlice(name("a"), WEB, ports, List.of(ready("10.0.0.1")), Optional.empty()));
        tracker.put(slice("b", new Port("dns", Protocol.TCP, 53), "10.0.0.2"));

        ServiceSnapshot snapshot = tracker.commit().snapshot();

        assertThat(snapshot.endpoints().get(HTTP))
                .extracting(Endpoint::hostAndPort)
                .containsExactly("10.0.0.1:8080");
        assertThat(snapshot.endpoints().get(DNS))
                .extracting(Endpoint::hostAndPort)
                .containsExactly("10.0.0.1:53");
        assertThat(snapshot.endpoints()).hasSize(2);
    }

    @Test
    void anEndpointThatTwoSlicesNameIsReadyIfOneSaysSo() {
        Address unready = new Address(IpAddress.parse("10.0.0.1"), "n1", false, false, false);
        for (String readySlice : List.of("a", "z")) {
            SnapshotTracker fresh = new SnapshotTracker();
            fresh.put(service(HTTP));
            fresh.put(new EndpointSlice(name("m"), WEB, List.of(HTTP_8080), List.of(unready), Optional.empty()));
            fresh.put(slice(readySlice, HTTP_8080, "10.0.0.1"));

            assertThat(fresh.commit().snapshot().endpoints().get(HTTP))
                    .containsExactly(Endpoint.ready(IpAddress.parse("10.0.0.1"), 8080, "n1"));
        }
    }

    @Test
    void aSliceWaitsForItsService() {
        tracker.put(slice("a", EARLY, HTTP_8080, "10.0.0.1"));
        assertThat(tracker.commit().change()).isEqualTo(ChangeSet.NONE);

        tracker.put(service(HTTP));
        var update = tracker.commit();

        assertThat(update.snapshot().endpoints().get(HTTP)).hasSize(1);
        assertChange(update.change(), Map.of(WEB, List.of(EARLY)), HTTP);

        tracker.removeService(WEB);
        update = tracker.commit();
        assertThat(update.snapshot()).isEqualTo(ServiceSnapshot.EMPTY);
        assertThat(update.change().servicePorts()).containsExactly(HTTP);
    }

    @Test
    void namesExactlyTheTouchedPorts() {
        ServicePortName other = Snapshots.portName("default/other:http");
        tracker.put(service(HTTP, DNS));
        tracker.put(new Service(other.service(), List.of(port(other, "10.96.0.11"))));
        tracker.put(slice("a", HTTP_8080, "10.0.0.1"));
        assertThat(tracker.commit().change().servicePorts()).containsExactlyInAnyOrder(HTTP, DNS, other);

        tracker.put(slice("a", HTTP_8080, "10.0.0.2"));
        assertThat(tracker.commit().change().servicePorts()).containsExactly(HTTP);

        tracker.put(service(HTTP));
        assertThat(tracker.commit().change().servicePorts()).containsExactly(DNS);

        tracker.put(new Service(WEB, List.of(port(HTTP, "10.96.0.99"))));
        assertThat(tracker.commit().change().servicePorts()).containsExactly(HTTP);

        tracker.removeSlice(name("a"));
        var update = tracker.commit();
        assertThat(update.change().servicePorts()).containsExactly(HTTP);
        assertThat(update.snapshot().endpoints()).isEmpty();
    }

    @Test
    void aSliceThatMovesToAnotherServiceLeavesTheFirst() {
        ServicePortName other = Snapshots.portName("default/other:http");
        tracker.put(service(HTTP));
        tracker.put(new Service(other.service(), List.of(port(other, "10.96.0.11"))));
        tracker.put(slice("a", HTTP_8080, "10.0.0.1"));
        tracker.commit();

        tracker.put(new EndpointSlice(
                name("a"), other.service(), List.of(HTTP_8080), List.of(ready("10.0.0.1")), Optional.of(LATE)));
        var update = tracker.commit();

        assertThat(update.snapshot().endpoints()).containsOnlyKeys(other);
        assertChange(update.change(), Map.of(other.service(), List.of(LATE)), other, HTTP);
    }

    @Test
    void whatChangesNothingIsNoChange() {
        tracker.put(service(HTTP));
        tracker.put(slice("a", EARLY, HTTP_8080, "10.0.0.1"));
        tracker.put(node("n1"));
        ServiceSnapshot before = tracker.commit().snapshot();

        tracker.put(service(HTTP));
        tracker.put(slice("a", LATE, HTTP_8080, "10.0.0.1"));
        tracker.put(node("n1"));
        assertUnchanged(before);

        tracker.put(slice("b", LATE, new Port("unused", Protocol.TCP, 1), "10.0.0.9"));
        assertUnchanged(before);

        tracker.removeService(WEB);
        tracker.put(service(HTTP));
        tracker.removeSlice(name("a"));
        tracker.put(slice("a", HTTP_8080, "10.0.0.1"));
        assertUnchanged(before);

        tracker.removeService(name("none"));
        tracker.removeSlice(name("none"));
        tracker.removeNode("none");
        assertUnchanged(before);
    }

    @Test
    void theTriggersAreThoseOfTheChangedSlices() {
        tracker.put(service(HTTP));
        tracker.put(slice("a", LATE, HTTP_8080, "10.0.0.1"));
        tracker.put(slice("b", EARLY, HTTP_8080, "10.0.0.2"));
        ChangeSet change = tracker.commit().change();
        assertChange(change, Map.of(WEB, List.of(EARLY, LATE)), HTTP);
        assertThat(change.lastTrigger()).contains(LATE);

        tracker.put(slice("a", LATE.plusSeconds(1), HTTP_8080, "10.0.0.1"));
        tracker.put(slice("b", EARLY, HTTP_8080, "10.0.0.3"));
        assertChange(tracker.commit().change(), Map.of(WEB, List.of(EARLY)), HTTP);

        tracker.put(service(HTTP, DNS));
        assertChange(tracker.commit().change(), Map.of(), DNS);
    }

    @Test
    void eachChangeOfASliceKeepsItsTriggerUntilTheSliceIsRemoved() {
        tracker.put(service(HTTP));
        tracker.put(slice("a", EARLY, HTTP_8080, "10.0.0.1"));
        tracker.put(slice("a", LATE, HTTP_8080, "10.0.0.2"));
        assertChange(tracker.commit().change(), Map.of(WEB, List.of(EARLY, LATE)), HTTP);

        tracker.put(slice("b", LATE, HTTP_8080, "10.0.0.3"));
        tracker.removeSlice(name("a"));
        assertChange(tracker.commit().change(), Map.of(), HTTP);
    }

    @Test
    void aSliceThatKeepsChangingKeepsItsOldestTriggers() {
        tracker.put(service(HTTP));
        for (int i = 0; i <= ChangeSet.MAX_TRIGGERS; i++) {
            tracker.put(slice("a", EARLY.plusSeconds(i), HTTP_8080, "10.0.0." + i));
        }
        assertThat(tracker.commit().change().triggers().get(WEB))
                .hasSize(ChangeSet.MAX_TRIGGERS)
                .startsWith(EARLY);
    }

    @Test
    void countsTheChangesThatMadeTheDifference() {
        tracker.put(service(HTTP));
        tracker.put(service(HTTP, DNS));
        tracker.put(slice("a", HTTP_8080, "10.0.0.1"));
        tracker.put(slice("a", HTTP_8080, "10.0.0.2"));
        tracker.put(slice("b", HTTP_8080, "10.0.0.2"));
        ChangeSet change = tracker.commit().change();
        assertThat(change.serviceChanges()).isEqualTo(1);
        assertThat(change.endpointChanges()).isEqualTo(3);

        tracker.removeSlice(name("a"));
        change = tracker.commit().change();
        assertThat(change).as("b has the same endpoint").isEqualTo(ChangeSet.NONE);
        tracker.removeSlice(name("b"));
        tracker.removeService(WEB);
        change = tracker.commit().change();
        assertThat(change.serviceChanges()).isEqualTo(1);
        assertThat(change.endpointChanges()).isEqualTo(1);
    }

    /** A change must not cost a copy of the cluster: unchanged parts are the same objects in both snapshots. */
    @Test
    void sharesWhatDidNotChangeWithTheSnapshotBefore() {
        for (int i = 0; i < 1000; i++) {
            ServicePortName name = Snapshots.portName("default/s" + i + ":http");
            tracker.put(new Service(name.service(), List.of(port(name, "10.96.0.11"))));
        }
        tracker.put(service(HTTP));
        tracker.put(slice("a", HTTP_8080, "10.0.0.1"));
        ServiceSnapshot before = tracker.commit().snapshot();

        tracker.put(slice("a", HTTP_8080, "10.0.0.2"));
        ServiceSnapshot after = tracker.commit().snapshot();

        assertThat(after.services()).isSameAs(before.services());
        assertThat(after.nodes()).isSameAs(before.nodes());
        assertThat(before.endpoints().get(HTTP))
                .extracting(Endpoint::hostAndPort)
                .containsExactly("10.0.0.1:8080");
    }

    @Test
    void followsNodes() {
        tracker.put(node("n1"));
        var update = tracker.commit();
        assertThat(update.change().nodes()).isTrue();
        assertThat(update.change().servicePorts()).isEmpty();
        assertThat(update.snapshot().nodes()).containsOnlyKeys("n1");

        tracker.removeNode("n1");
        assertThat(tracker.commit().change().nodes()).isTrue();
    }

    @Test
    void aServiceThatTurnsHeadlessIsGone() {
        tracker.put(service(HTTP));
        tracker.put(slice("a", HTTP_8080, "10.0.0.1"));
        tracker.commit();

        tracker.put(new Service(WEB, List.of()));
        var update = tracker.commit();

        assertThat(update.snapshot()).isEqualTo(ServiceSnapshot.EMPTY);
        assertThat(update.change().servicePorts()).containsExactly(HTTP);
    }

    private void assertUnchanged(ServiceSnapshot before) {
        var update = tracker.commit();
        assertThat(update.change()).isEqualTo(ChangeSet.NONE);
        assertThat(update.snapshot()).isSameAs(before);
    }

    private static void assertChange(
            ChangeSet change, Map<NamespacedName, List<Instant>> triggers, ServicePortName... ports) {
        assertThat(change.servicePorts()).containsExactlyInAnyOrder(ports);
        assertThat(change.triggers()).isEqualTo(triggers);
        assertThat(change.nodes()).isFalse();
    }

    private static Service service(ServicePortName... names) {
        List<ServicePort> ports = new ArrayList<>();
        for (ServicePortName name : names) {
            ports.add(port(name, "10.96.0.10"));
        }
        return new Service(WEB, ports);
    }

    private static ServicePort port(ServicePortName name, String clusterIp) {
        return new ServicePort(name, List.of(IpAddress.parse(clusterIp)), 80, 0, List.of(), List.of());
    }

    private static EndpointSlice slice(String name, Port port, String... ips) {
        return new EndpointSlice(name(name), WEB, List.of(port), addresses(ips), Optional.empty());
    }

    private static EndpointSlice slice(String name, Instant trigger, Port port, String... ips) {
        return new EndpointSlice(name(name), WEB, List.of(port), addresses(ips), Optional.of(trigger));
    }

    private static List<Address> addresses(String... ips) {
        return Arrays.stream(ips).map(SnapshotTrackerTest::ready).toList();
    }

    private static Address ready(String ip) {
        return new Address(IpAddress.parse(ip), "n1", true, true, false);
    }

    private static NodeInfo node(String name) {
        return new NodeInfo(name, "", List.of(IpAddress.parse("172.30.0.1")), List.of());
    }

    private static NamespacedName name(String name) {
        return new NamespacedName("default", name);
    }
}
