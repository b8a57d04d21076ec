package dev.nodepath.linux.conntrack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of every {@link Conntrack}; a subclass makes UDP flows over IPv4 from 127.0.0.1 to itself. */
abstract class ConntrackContract {
    private static final int UDP = 17;

    abstract Conntrack conntrack();

    /** Tracks a UDP flow to this port. */
    abstract void track(int port) throws IOException;

    private List<ConntrackFlow> to(int port) throws LinuxNetException {
        return conntrack()
                .find(FlowFilter.of(IpFamily.IPV4, UDP), flow -> flow.original().destinationPort() == port);
    }

    @Test
    void findsWhatIsWantedAlone() throws IOException {
        track(7001);
        track(7002);
        assertThat(to(7001)).singleElement().satisfies(flow -> {
            assertThat(flow.original().source()).isEqualTo(IpAddress.parse("127.0.0.1"));
            assertThat(flow.protocol()).isEqualTo(UDP);
            assertThat(flow.isDestinationTranslated()).isFalse();
            assertThat(flow.isInDefaultZone()).isTrue();
        });
        assertThat(conntrack().find(FlowFilter.of(IpFamily.IPV6, UDP), flow -> true))
                .isEmpty();
        assertThat(conntrack().find(FlowFilter.of(IpFamily.IPV4, 6), flow -> true))
                .isEmpty();
    }

    @Test
    void findsInOneRequestWhatIsWantedOfAllFamiliesAndProtocols() throws IOException {
        track(7001);
        track(7002);
        assertThat(conntrack().findAmongAll(flow -> true)).hasSize(2);
        assertThat(conntrack().findAmongAll(flow -> flow.original().destinationPort() == 7001))
                .extracting(ConntrackFlow::id)
                .containsExactly(to(7001).get(0).id());
    }

    @Test
    void findsWhatWasSentToOneAddressAndNotAnswered() throws IOException {
        track(7001);
        IpAddress self = IpAddress.parse("127.0.0.1");
        FlowFilter all = FlowFilter.of(IpFamily.IPV4, UDP);
        assertThat(conntrack().find(all.to(self), flow -> true)).hasSize(1);
        assertThat(conntrack().find(all.to(self).unanswered(), flow -> true)).hasSize(1);
        assertThat(conntrack().find(all.unanswered(), flow -> true)).hasSize(1);
        assertThat(conntrack().find(all.to(IpAddress.parse("127.0.0.2")), flow -> true))
                .isEmpty();
    }

    @Test
    void getsTheFlowOfAPacket() throws IOException {
        track(7001);
        ConntrackFlow flow = to(7001).get(0);
        ConntrackFlow.Tuple sent = flow.original();
        ConntrackFlow.Tuple elsewhere =
                new ConntrackFlow.Tuple(sent.source(), sent.destination(), sent.sourcePort(), 7002, 0);

        assertThat(conntrack().get(UDP, sent))
                .hasValueSatisfying(found -> assertThat(found)
                        .usingRecursiveComparison()
                        .ignoringFields("progress.secondsLeft")
                        .isEqualTo(flow));
        assertThat(conntrack().get(UDP, flow.reply()))
                .as("only by its first packet")
                .isEmpty();
        assertThat(conntrack().get(UDP, elsewhere)).isEmpty();
        assertThat(conntrack().get(6, sent)).isEmpty();
    }

    @Test
    void removesExactlyTheseFlows() throws IOException {
        track(7001);
        track(7002);
        assertThat(conntrack().delete(to(7001))).isEqualTo(1);
        assertThat(to(7001)).isEmpty();
        assertThat(to(7002)).hasSize(1);
        assertThat(conntrack().delete(List.of())).isZero();
    }

    @Test
    void passesOverAFlowThatHasBeenReplacedAndOneThatIsGone() throws IOException {
        track(7001);
        ConntrackFlow flow = to(7001).get(0);
        ConntrackFlow earlier =
                new ConntrackFlow(flow.protocol(), flow.original(), flow.reply(), flow.zone(), flow.id() ^ 1);
        assertThat(conntrack().delete(List.of(earlier))).isZero();
        assertThat(to(7001)).extracting(ConntrackFlow::id).containsExactly(flow.id());
        assertThat(conntrack().delete(List.of(flow))).isEqualTo(1);
        assertThat(conntrack().delete(List.of(flow))).isZero();
    }

    @Test
    void removesMoreThanOneBatchHolds() throws IOException {
        List<ConntrackFlow> all = new ArrayList<>();
        for (int port = 8000; port < 8000 + 2 * NetlinkSocket.BATCH_MAX + 1; port++) {
            track(port);
        }
        all.addAll(conntrack().find(FlowFilter.of(IpFamily.IPV4, UDP), flow -> true));
        all.addAll(all.subList(0, 3));
        assertThat(conntrack().delete(all)).isEqualTo(2 * NetlinkSocket.BATCH_MAX + 1);
        assertThat(conntrack().find(FlowFilter.of(IpFamily.IPV4, UDP), flow -> true))
                .isEmpty();
    }
}
