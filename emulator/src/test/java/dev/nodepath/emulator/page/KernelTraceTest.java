package dev.nodepath.emulator.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.emulator.page.KernelTrace.Origin;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.TraceEvent;
import dev.nodepath.linux.packet.PacketHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A client without an answer sends again: which of its packets shows the kernel's decision? */
class KernelTraceTest {
    private static final Origin CLIENT = new Origin(IpAddress.parse("10.244.1.4"), 40_000);
    private static final Origin OTHER = new Origin(IpAddress.parse("10.244.1.4"), 40_001);

    private final List<TraceEvent> events = new ArrayList<>();
    /** The texts of the rules, by their handles. */
    private final List<String> texts = new ArrayList<>();

    /** A refused packet leaves no connection, so the next one goes to an endpoint of its own. */
    @Test
    void anEndpointThatIsChosenAnewCounts() {
        enters(CLIENT, 1, "nat PREROUTING", "to web-1");
        enters(CLIENT, 1, "nodepath-policy forward", "dropped");
        enters(CLIENT, 2, "nat PREROUTING", "to web-3");
        enters(CLIENT, 2, "nodepath-policy forward", "goes on");
        enters(CLIENT, 2, "nat POSTROUTING", "masqueraded");

        assertThat(rules()).containsExactly("to web-3", "goes on", "masqueraded");
    }

    /** The packet has no mark then, which the rules of the first one set: others match. */
    @Test
    void aPacketOfAConnectionThatIsKeptDecidesNothing() {
        enters(CLIENT, 1, "nat PREROUTING", "to solo, marked");
        enters(CLIENT, 1, "filter FORWARD", "accepted by its mark");
        enters(CLIENT, 1, "nat POSTROUTING", "masqueraded");
        enters(CLIENT, 1, "filter FORWARD", "no mark");
        enters(CLIENT, 1, "mangle POSTROUTING", "passes for the first time");

        assertThat(rules())
                .containsExactly("to solo, marked", "accepted by its mark", "masqueraded", "passes for the first time");
    }

    @Test
    void packetsOfOthersAreNotFollowedThoughTheirNumberIsTheSame() {
        enters(CLIENT, 1, "nat PREROUTING", "to web-1");
        enters(OTHER, 1, "nat PREROUTING", "to web-2");
        meets(1, "nat KUBE-SERVICES", "of web-2", Optional.empty());
        enters(CLIENT, 1, "filter FORWARD", "accepted");

        assertThat(rules()).containsExactly("to web-1", "accepted");
    }

    /** A packet with this number enters a base chain, named after its table, and meets a rule. */
    private void enters(Origin origin, int id, String chain, String rule) {
        PacketHeader packet = new PacketHeader(6, origin.address(), origin.port(), IpAddress.parse("10.96.0.20"), 80);
        meets(id, chain, rule, Optional.of(packet));
    }

    private void meets(int id, String chain, String rule, Optional<PacketHeader> packet) {
        String[] names = chain.split(" ", 2);
        NftTable table = new NftTable(NftFamily.IPV4, names[0]);
        texts.add(rule);
        events.add(
                new TraceEvent(id, table, names[1], TraceEvent.Kind.RULE, texts.size() - 1, Optional.empty(), packet));
    }

    private List<String> rules() {
        return KernelTrace.decidingPasses(events, Set.of(CLIENT)).stream()
                .map(event -> texts.get(Math.toIntExact(event.handle())))
                .toList();
    }
}
