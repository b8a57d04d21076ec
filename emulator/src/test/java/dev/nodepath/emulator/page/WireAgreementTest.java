package dev.nodepath.emulator.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.emulator.walk.Hop;
import dev.nodepath.emulator.walk.Hop.Addresses;
import dev.nodepath.emulator.walk.PacketStep;
import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WireAgreementTest {
    private static final Addresses ASKED = new Addresses("10.244.1.4", "10.96.0.20:80");
    private static final Addresses CHOSEN = new Addresses("10.244.1.4", "10.244.2.2:8080");
    private static final Addresses ANSWERED = new Addresses("10.244.2.2:8080", "10.244.1.4");
    private static final Addresses RETURNED = new Addresses("10.96.0.20:80", "10.244.1.4");

    private static final List<PacketStep> STEPS = List.of(
            step("client-1", ASKED, ASKED, false),
            step("n1", ASKED, CHOSEN, false),
            step("n2", CHOSEN, CHOSEN, false),
            step("web-3", CHOSEN, CHOSEN, false),
            step("web-3", ANSWERED, ANSWERED, true),
            step("n2", ANSWERED, ANSWERED, true),
            step("n1", ANSWERED, RETURNED, true),
            step("client-1", RETURNED, RETURNED, true));

    private static final WireHop VETH_IN = there("n1", "veth1", false, "10.96.0.20", 80);
    private static final WireHop LEAVES = there("n1", "eth0", true, "10.244.2.2", 8080);
    private static final WireHop ARRIVES = there("n2", "eth0", false, "10.244.2.2", 8080);
    private static final WireHop BRIDGE = there("n2", "cni0", true, "10.244.2.2", 8080);
    private static final WireHop BACK_IN = back("n2", "cni0", false, "10.244.2.2", 8080);
    private static final WireHop BACK_EAST = back("n2", "eth0", true, "10.244.2.2", 8080);
    private static final WireHop BACK_WEST = back("n1", "eth0", false, "10.244.2.2", 8080);
    private static final WireHop BACK_OUT = back("n1", "veth1", true, "10.96.0.20", 80);
    private static final List<WireHop> ALL =
            List.of(VETH_IN, LEAVES, ARRIVES, BRIDGE, BACK_IN, BACK_EAST, BACK_WEST, BACK_OUT);

    @Test
    void namesTheLinksThatCarriedThePacketBetweenTwoPlaces() {
        assertThat(compare(ALL))
                .isEqualTo(new WireAgreement(
                        Map.of(
                                0, "n1 veth1 in",
                                1, "n1 eth0 out; n2 eth0 in",
                                2, "n2 cni0 out",
                                4, "n2 cni0 in",
                                5, "n2 eth0 out; n1 eth0 in",
                                6, "n1 veth1 out"),
                        Set.of(),
                        List.of()));
    }

    @Test
    void tellsOfAPacketThatDidNotArrive() {
        WireAgreement agreement = compare(List.of(VETH_IN, LEAVES));

        assertThat(agreement.seen()).containsOnlyKeys(0);
        assertThat(agreement.missing()).containsExactlyInAnyOrder(1, 2, 4, 5, 6);
        assertThat(agreement.differences())
                .startsWith("On the links of n2. Promised: 10.244.1.4 \u2192 10.244.2.2:8080. Carried: nothing such.");
    }

    /** A substitute of an answer, such as a refusal by ICMP, is not among the watched packets. */
    @Test
    void missesNoAnswerIfNobodyHasAnswered() {
        List<WireHop> there = List.of(VETH_IN, LEAVES, ARRIVES);
        WireAgreement agreement =
                WireAgreement.of(STEPS, new WireWay(there, Set.of("n1", "n2"), List.of()), /* answered= */ false);

        assertThat(agreement.missing()).containsExactly(2);
        assertThat(agreement.differences()).hasSize(1);
    }

    @Test
    void tellsOfAddressesThatNobodyPromised() {
        WireHop other = there("n1", "eth0", true, "10.244.2.9", 8080);
        List<WireHop> hops = new ArrayList<>(ALL);
        hops.add(other);

        assertThat(compare(hops).differences())
                .containsExactly("On the links of n1. Promised: no such packet."
                        + " Carried: 10.244.1.4 \u2192 10.244.2.9:8080 (eth0 out).");
    }

    /** The bridge has it twice: as it came, and as its rules have made it. */
    @Test
    void knowsTheAddressOfARelayOnlyByTheOtherEnd() {
        Addresses redirected = new Addresses("10.244.1.4", "relay on n1");
        List<PacketStep> steps = List.of(step("client-1", ASKED, ASKED, false), step("n1", ASKED, redirected, false));
        WireHop bridge = there("n1", "cni0", false, "10.244.1.1", 35719);
        WireWay wire = new WireWay(List.of(VETH_IN, bridge, BACK_OUT), Set.of("n1", "n2"), List.of());

        assertThat(WireAgreement.of(steps, wire, true).differences()).isEmpty();
    }

    @Test
    void comparesNoLoopbackAndNoNodeThatIsNotWatched() {
        WireHop inside = there("n1", "lo", true, "127.0.0.1", 40000);

        assertThat(WireAgreement.of(STEPS, new WireWay(List.of(VETH_IN, inside, LEAVES), Set.of(), List.of()), true)
                        .differences())
                .isEmpty();
    }

    private static WireAgreement compare(List<WireHop> hops) {
        return WireAgreement.of(STEPS, new WireWay(hops, Set.of("n1", "n2"), List.of()), true);
    }

    private static WireHop there(String node, String link, boolean outgoing, String to, int port) {
        Packet packet = new Packet(IpAddress.parse("10.244.1.4"), 41000, IpAddress.parse(to), port);
        return new WireHop(node, link, outgoing, 0, packet, /* answer= */ false, /* encapsulated= */ false);
    }

    private static WireHop back(String node, String link, boolean outgoing, String from, int port) {
        WireHop asked = there(node, link, outgoing, from, port);
        return new WireHop(node, link, outgoing, 0, asked.packet().back(), /* answer= */ true, false);
    }

    private static PacketStep step(String where, Addresses before, Addresses after, boolean answer) {
        Hop hop = new Hop(
                where,
                Hop.Actor.HOST,
                "It goes on.",
                "",
                Optional.empty(),
                List.of(),
                Effect.Plain.NOTHING,
                Hop.Rewrite.NONE);
        return new PacketStep(hop, "", before, after, answer);
    }
}
