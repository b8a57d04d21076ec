package dev.nodepath.emulator.page;

import static dev.nodepath.emulator.page.SampleWalk.SERVICE;
import static dev.nodepath.emulator.page.SampleWalk.WEB;
import static dev.nodepath.emulator.page.SampleWalk.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.page.ProbeAnswer.Kind;
import dev.nodepath.emulator.walk.Hop;
import dev.nodepath.emulator.walk.PacketStep;
import dev.nodepath.emulator.walk.RunningProxies;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WithoutAnswerTest {
    private static final IpAddress GONE = IpAddress.parse("10.244.2.9");
    private static final RunningProxies ALL = RunningProxies.of(Map.of("n1", "iptables"), Set.of(), false);
    private static final RunningProxies WITHOUT_AGENT =
            RunningProxies.of(Map.of("n1", "iptables"), Set.of("n1"), false);
    private static final Hop RULE = Hop.of("n1", Hop.Actor.PROXY_RULE, "The packet is dropped.");
    private static final Walk.End TO_WEB = end(Trace.Verdict.ENDPOINT, "web-1", WEB);

    @Test
    void saysWhoRefuses() {
        assertThat(why(ALL, Kind.REFUSED, TO_WEB)).contains("web-1 refuses it: nothing listens at 10.244.1.2:8080.");
        assertThat(why(ALL, Kind.REFUSED, end(Trace.Verdict.REJECT, "", SERVICE)))
                .as("the rule gives no reason")
                .contains("On n1: The packet is dropped.");
    }

    @Test
    void saysWhereAPacketEndsInSilence() {
        assertThat(why(ALL, Kind.SILENT, end(Trace.Verdict.DROP, "", SERVICE)))
                .contains("On n1: The packet is dropped.");
        assertThat(why(ALL, Kind.ANSWERED, TO_WEB)).isEmpty();
    }

    @Test
    void saysThatRulesAreOfBefore() {
        assertThat(why(WITHOUT_AGENT, Kind.SILENT, TO_WEB))
                .contains("The agent of n1 does not run: its rules are those of before.");
        assertThat(why(ALL, Kind.SILENT, TO_WEB)).isEmpty();
    }

    /** No picture of an answer that never came. */
    @Test
    void ofAPacketThatWentElsewhereOnlyWhatHasHappenedIsTold() {
        Hop.Addresses sent = new Hop.Addresses("10.244.1.4", "10.96.0.20:80");
        List<PacketStep> promised = List.of(
                step("client-1", "leaves", false), step("n1", "leads to web-1", false), step("web-1", "answers", true));
        KernelAgreement kernel = new KernelAgreement(Set.of(), Set.of(1), List.of());

        List<PacketStep> steps = WithoutAnswer.happened(promised, kernel, result(Kind.SILENT, TO_WEB, entry(GONE)));

        assertThat(steps)
                .extracting(step -> step.hop().what())
                .containsExactly(
                        "leaves",
                        "A rule of its kernel has sent the packet to 10.244.2.9:8080, as its connection tracking shows."
                                + " Nobody has answered from there.");
        assertThat(steps.get(1).before()).isEqualTo(sent);
        assertThat(WithoutAnswer.happened(promised, kernel, result(Kind.REFUSED, TO_WEB, entry(GONE)))
                        .get(1)
                        .hop()
                        .what())
                .doesNotContain("Nobody");
        assertThat(WithoutAnswer.happened(
                        promised, kernel, result(Kind.SILENT, TO_WEB, entry(GONE), entry("n2", GONE, 8080, GONE))))
                .as("a later node that has changed nothing")
                .isEqualTo(steps);
        assertThat(steps.get(1).after()).isEqualTo(new Hop.Addresses("10.244.1.4", "10.244.2.9:8080"));
        assertThat(WithoutAnswer.happened(promised, kernel, result(Kind.ANSWERED, TO_WEB, entry(WEB))))
                .isEqualTo(promised);
    }

    private static PacketStep step(String where, String what, boolean answer) {
        Hop.Addresses sent = new Hop.Addresses("10.244.1.4", "10.96.0.20:80");
        return new PacketStep(Hop.of(where, Hop.Actor.HOST, what), "", sent, sent, answer);
    }

    private static Optional<String> why(RunningProxies proxies, Kind kind, Walk.End end) {
        List<NodeFlow> entries = proxies.ended().isEmpty() && kind != Kind.SILENT ? List.of() : List.of(entry(GONE));
        return WithoutAnswer.why(proxies, walk(end), result(kind, end, entries.toArray(NodeFlow[]::new)));
    }

    private static ProbeResult result(Kind kind, Walk.End end, NodeFlow... entries) {
        ProbeAnswer answer = new ProbeAnswer(kind, 4000, "", "", 1, "");
        return ProbeResult.of(walk(end), answer, List.of(entries), Set.of());
    }

    private static Walk walk(Walk.End end) {
        return SampleWalk.to(Protocol.TCP, ProxyMode.IPTABLES, end);
    }

    private static Walk.End end(Trace.Verdict verdict, String name, IpAddress address) {
        return SampleWalk.end(verdict, name, address, RULE);
    }
}
