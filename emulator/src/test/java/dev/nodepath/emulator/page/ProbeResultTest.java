package dev.nodepath.emulator.page;

import static dev.nodepath.emulator.page.SampleWalk.CLIENT;
import static dev.nodepath.emulator.page.SampleWalk.SERVICE;
import static dev.nodepath.emulator.page.SampleWalk.WEB;
import static dev.nodepath.emulator.page.SampleWalk.end;
import static dev.nodepath.emulator.page.SampleWalk.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.emulator.page.ProbeAnswer.Kind;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProbeResultTest {
    private static final IpAddress OTHER = IpAddress.parse("10.244.2.2");

    private static final Walk.End TO_WEB = end(Trace.Verdict.ENDPOINT, "web-1", WEB);
    private static final Walk.End TO_OTHER = end(Trace.Verdict.ENDPOINT, "shop/web-2", OTHER);
    private static final Walk.End REJECTED = end(Trace.Verdict.REJECT, "", SERVICE);
    private static final Walk.End DROPPED = end(Trace.Verdict.DROP, "", SERVICE);

    @Test
    void findsTheEndThatAnswered() {
        ProbeResult result = result(answered("web-2", "10.244.1.4"), List.of(), TO_WEB, TO_OTHER);

        assertThat(result.end()).contains(TO_OTHER);
        assertThat(result.differences()).isEmpty();
    }

    @Test
    void tellsWhenSomebodyElseAnswers() {
        assertThat(result(answered("web-9", "10.244.1.4"), List.of(), TO_WEB).differences())
                .containsExactly(
                        "Promised: web-1 at 10.244.1.2:8080 sees 10.244.1.4. Observed: web-9 answered and saw 10.244.1.4.");
    }

    @Test
    void tellsWhenAnotherSourceIsSeen() {
        assertThat(result(answered("web-1", "10.244.1.1"), List.of(), TO_WEB).differences())
                .hasSize(1);
    }

    @Test
    void tellsWhenTheKernelTracksAnotherTarget() {
        assertThat(result(answered("", ""), List.of(entry(OTHER)), TO_WEB).differences())
                .singleElement()
                .asString()
                .contains("somebody answered", "conntrack has 10.244.2.2:8080");
        assertThat(result(answered("", ""), List.of(entry(WEB)), TO_WEB).differences())
                .isEmpty();
    }

    /** A relay's own connection was not seen: the packets on the links tell whether it is missing. */
    @Test
    void knowsNothingOfTheTargetIfAllIsTrackedToTheRelay() {
        ProbeResult result =
                result(ProxyMode.USERSPACE, answered("web-1", "10.244.1.4"), List.of(entry(CLIENT)), TO_WEB, TO_OTHER);

        assertThat(result.end()).contains(TO_WEB);
        assertThat(result(answered("web-1", "10.244.1.4"), List.of(entry(CLIENT)), TO_WEB)
                        .differences())
                .hasSize(1);
    }

    @Test
    void takesARefusalForWhatWasRejectedOrHasNoListener() {
        ProbeAnswer refused = new ProbeAnswer(Kind.REFUSED, 4000, "", "", 1, "Connection refused");

        assertThat(result(refused, List.of(), REJECTED).differences()).isEmpty();
        assertThat(result(refused, List.of(entry(WEB)), TO_WEB).differences()).isEmpty();
        assertThat(result(refused, List.of(), DROPPED).differences()).hasSize(1);
    }

    /** Nodes track a refused connection no more. */
    @Test
    void takesTheEndThatAPacketWasSeenToGoToIfNothingIsTracked() {
        ProbeAnswer refused = new ProbeAnswer(Kind.REFUSED, 4000, "", "", 1, "Connection refused");
        Walk walk = walk(ProxyMode.IPTABLES, TO_WEB, TO_OTHER);
        Set<Packet> forms = Set.of(new Packet(CLIENT, 4000, SERVICE, 80), new Packet(CLIENT, 4000, OTHER, 8080));

        assertThat(ProbeResult.of(walk, refused, List.of(), forms).end()).contains(TO_OTHER);
    }

    /** A relay accepts a connection before it has an endpoint. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"TAKEN", "CLOSED"})
    void onlyARelayTakesWhatNobodyGets(Kind kind) {
        ProbeAnswer taken = new ProbeAnswer(kind, 4000, "", "", 1, "");

        assertThat(result(taken, List.of(entry(WEB)), TO_WEB).differences()).isEmpty();
        for (Walk.End end : List.of(REJECTED, DROPPED, end(Trace.Verdict.UNTOUCHED, "", SERVICE))) {
            assertThat(result(ProxyMode.USERSPACE, taken, List.of(), end).differences())
                    .isEmpty();
            assertThat(result(taken, List.of(), end).differences()).hasSize(1);
        }
    }

    @Test
    void takesSilenceOnlyForWhatWasDroppedOrIsLost() {
        ProbeAnswer silent = new ProbeAnswer(Kind.SILENT, 4000, "", "", 1, "timed out");

        assertThat(result(silent, List.of(), DROPPED).differences()).isEmpty();
        assertThat(result(silent, List.of(), end(Trace.Verdict.UNTOUCHED, "", SERVICE))
                        .differences())
                .isEmpty();
        assertThat(result(silent, List.of(), REJECTED).differences()).hasSize(1);
        assertThat(result(silent, List.of(), TO_WEB).differences()).hasSize(1);
        assertThat(result(silent, List.of(entry(WEB)), TO_WEB).differences()).hasSize(1);
    }

    /** A receiver need not react to a datagram that it has got. */
    @Test
    void takesSilenceForADatagramThatHasArrived() {
        ProbeAnswer silent = new ProbeAnswer(Kind.SILENT, 4000, "", "", 1, "timed out");
        Walk walk = SampleWalk.to(Protocol.UDP, ProxyMode.USERSPACE, TO_WEB, TO_OTHER);

        assertThat(ProbeResult.of(walk, silent, List.of(entry(OTHER)), Set.of()).end())
                .contains(TO_OTHER);
        assertThat(ProbeResult.of(walk, silent, List.of(), Set.of()).differences())
                .hasSize(1);
    }

    @Test
    void waitsLongerWhereSomebodyMustAnswer() {
        int ofSilence = ProbeSocket.waitMillis(walk(ProxyMode.IPTABLES, DROPPED));

        assertThat(ProbeSocket.waitMillis(walk(ProxyMode.IPTABLES, TO_WEB, REJECTED)))
                .isGreaterThan(ofSilence);
        assertThat(ProbeSocket.waitMillis(walk(ProxyMode.IPTABLES, TO_WEB, DROPPED)))
                .isEqualTo(ofSilence);
    }

    private static ProbeResult result(ProbeAnswer answer, List<NodeFlow> entries, Walk.End... ends) {
        return result(ProxyMode.IPTABLES, answer, entries, ends);
    }

    private static ProbeResult result(ProxyMode mode, ProbeAnswer answer, List<NodeFlow> entries, Walk.End... ends) {
        return ProbeResult.of(walk(mode, ends), answer, entries, Set.of());
    }

    private static Walk walk(ProxyMode mode, Walk.End... ends) {
        return SampleWalk.to(Protocol.TCP, mode, ends);
    }

    private static ProbeAnswer answered(String pod, String seen) {
        return new ProbeAnswer(Kind.ANSWERED, 4000, pod, seen, 1, "");
    }
}
