package dev.nodepath.linux.nftables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.TraceEvent.Kind;
import dev.nodepath.linux.packet.PacketHeader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernel tells which rules took a packet on. */
@Tag("netns")
class PacketTraceTest {
    private static final int PORT = 4000;
    private static final int EVENTS_MAX = 100;

    private final KernelLinuxNet net = new KernelLinuxNet();

    @SuppressWarnings("NullAway.Init") // lives from @BeforeEach to @AfterEach
    private NftNamespace nft;

    @SuppressWarnings("NullAway.Init")
    private NetworkNamespace namespace;

    @BeforeEach
    void create() throws Exception {
        nft = NftNamespace.create();
        namespace = nft.opened();
        namespace.setUp(1, true);
    }

    @AfterEach
    void delete() throws Exception {
        nft.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void tellsEachRuleThatTookAPacketOn(String address) throws Exception {
        String family = address.contains(":") ? "ip6" : "ip";
        NftTable table = new NftTable(family.equals("ip") ? NftFamily.IPV4 : NftFamily.IPV6, "t");
        nft.load("table " + family + """
                 t {
                    chain out {
                        type filter hook output priority 0
                        udp dport 9 drop
                        udp dport 4000 counter
                        udp dport 4000 jump more
                    }
                    chain more {
                        udp dport 9 accept
                        udp sport 5000 return
                    }
                }
                """);
        try (PacketTrace trace = namespace.call(net::packetTrace)) {
            send(address, 5000, PORT);
            assertThat(trace.poll(EVENTS_MAX)).as("not chosen").isEmpty();

            choose(table.family());
            send(address, 5000, PORT);
            List<TraceEvent> events = trace.poll(EVENTS_MAX);

            List<Long> out = handles(table, "out");
            List<Long> more = handles(table, "more");
            assertThat(events.stream().filter(event -> event.table().equals(table)))
                    .extracting(TraceEvent::chain, TraceEvent::kind, TraceEvent::handle, TraceEvent::verdict)
                    .containsExactly(
                            event("out", Kind.RULE, out.get(1), new NftVerdict(NftVerdict.Kind.CONTINUE, "")),
                            event("out", Kind.RULE, out.get(2), NftVerdict.jump("more")),
                            event("more", Kind.RULE, more.get(1), NftVerdict.RETURN),
                            event("out", Kind.RETURN, 0, new NftVerdict(NftVerdict.Kind.CONTINUE, "")),
                            event("out", Kind.POLICY, 0, NftVerdict.ACCEPT));
            InetAddress ip = InetAddress.getByName(address);
            assertThat(events.stream().filter(event -> event.table().equals(table)))
                    .extracting(TraceEvent::packet)
                    .startsWith(Optional.of(new PacketHeader(17, IpAddress.of(ip), 5000, IpAddress.of(ip), PORT)));
        }
    }

    private static Tuple event(String chain, Kind kind, long handle, NftVerdict verdict) {
        return Tuple.tuple(chain, kind, handle, Optional.of(verdict));
    }

    private List<Long> handles(NftTable table, String chain) throws Exception {
        return namespace.nftRules(new NftChain(table, chain, Optional.empty())).stream()
                .map(rule -> rule.handle())
                .toList();
    }

    private void choose(NftFamily family) throws Exception {
        NftTable probe = new NftTable(family, "probe");
        NftChain chain = new NftChain(probe, "out", Optional.of(NftChain.Hook.of("filter", "output", -199)));
        namespace.nftApply(List.of(
                new NftChange.AddTable(probe),
                new NftChange.AddChain(chain),
                new NftChange.AddRule(
                        chain, NftRule.of(new NftStatement.NewConnection(), new NftStatement.TraceOn()))));
    }

    private void send(String address, int from, int to) throws Exception {
        InetAddress ip = InetAddress.getByName(address);
        namespace.call(() -> {
            try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(ip, from))) {
                socket.send(new DatagramPacket(new byte[1], 1, ip, to));
            }
            return true;
        });
    }
}
