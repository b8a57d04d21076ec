package dev.nodepath.emulator.walk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.walk.Hop.Addresses;
import dev.nodepath.endpoints.source.ManifestReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PacketStepTest {
    private static List<PacketStep> story(ProxyMode mode, String from, String to, String receiver) throws Exception {
        Walk walk = NamedWalk.walk(
                new RunningProxies(mode, false),
                ManifestReader.check(ManifestReader.objects(Path.of("objects"), NamedWalkTest.OBJECTS)),
                from,
                to);
        Walk.End end = walk.ends().stream()
                .filter(each -> each.name().equals(receiver))
                .findFirst()
                .orElseThrow();
        return PacketStep.of(walk, end);
    }

    /** Each pair of addresses that the packet has, once, in the order of its way. */
    private static List<String> rewrites(List<PacketStep> steps) {
        List<String> pairs = new ArrayList<>();
        for (PacketStep step : steps) {
            for (Addresses each : List.of(step.before(), step.after())) {
                String pair = each.source() + " > " + each.destination();
                if (pairs.isEmpty() || !pairs.get(pairs.size() - 1).equals(pair)) {
                    pairs.add(pair);
                }
            }
        }
        return pairs;
    }

    @ParameterizedTest
    @EnumSource(
            value = ProxyMode.class,
            names = {"IPTABLES", "NFTABLES"})
    void tellsTheRewriteThereAndBack(ProxyMode mode) throws Exception {
        assertThat(rewrites(story(mode, "client-1", "web:80", "web-2")))
                .containsExactly(
                        "10.244.1.4 > 10.96.0.20:80",
                        "10.244.1.4 > 10.244.2.2:8080",
                        "10.244.2.2:8080 > 10.244.1.4",
                        "10.96.0.20:80 > 10.244.1.4");
    }

    @ParameterizedTest
    @EnumSource(
            value = ProxyMode.class,
            names = {"IPTABLES", "NFTABLES"})
    void tellsTheMasqueradeOfANodePort(ProxyMode mode) throws Exception {
        assertThat(rewrites(story(mode, "client", "n1:30080", "web-2")))
                .containsExactly(
                        "172.30.0.254 > 172.30.0.11:30080",
                        "172.30.0.254 > 10.244.2.2:8080",
                        "172.30.0.11 > 10.244.2.2:8080",
                        "10.244.2.2:8080 > 172.30.0.11",
                        "172.30.0.11:30080 > 172.30.0.254");
    }

    @Test
    void tellsBothLegsOfARelay() throws Exception {
        assertThat(rewrites(story(ProxyMode.USERSPACE, "client-1", "web:80", "web-2")))
                .containsExactly(
                        "10.244.1.4 > 10.96.0.20:80",
                        "10.244.1.4 > relay on n1",
                        "172.30.0.11 > 10.244.2.2:8080",
                        "10.244.2.2:8080 > 172.30.0.11",
                        "relay on n1 > 10.244.1.4",
                        "10.96.0.20:80 > 10.244.1.4");
    }

    @ParameterizedTest
    @CsvSource({"web-1, 10.244.1.2, 10.244.2.2", "web-2, 10.244.2.2, 10.244.1.2"})
    void leavesOutTheChainsOfOtherEndpoints(String receiver, String its, String other) throws Exception {
        List<PacketStep> steps = story(ProxyMode.IPTABLES, "client-1", "web:80", receiver);

        assertThat(steps).extracting(step -> step.hop().rule()).noneMatch(rule -> rule.contains(other));
        assertThat(steps)
                .extracting(step -> step.hop().rule())
                .anyMatch(rule -> rule.contains("--to-destination " + its));
    }

    /** A pod that reaches itself gets the mark in its own chain, and only then the source is replaced. */
    @ParameterizedTest
    @EnumSource(
            value = ProxyMode.class,
            names = {"IPTABLES", "NFTABLES"})
    void masqueradesOnlyThePodThatReachesItself(ProxyMode mode) throws Exception {
        assertThat(story(mode, "web-1", "web:80", "web-1"))
                .filteredOn(step -> !step.before().source().equals(step.after().source()) && !step.answer())
                .singleElement()
                .satisfies(step -> assertThat(step.after().source()).isEqualTo("10.244.1.1"))
                .satisfies(
                        step -> assertThat(step.hop().what()).endsWith("The source becomes an address of this node."));
        assertThat(rewrites(story(mode, "web-1", "web:80", "web-2")))
                .doesNotContain("10.244.1.1 > 10.244.2.2:8080", "172.30.0.11 > 10.244.2.2:8080");
    }

    @Test
    void namesTheHookOfEachRule() throws Exception {
        assertThat(story(ProxyMode.NFTABLES, "client-1", "web:80", "web-1"))
                .filteredOn(step -> !step.hop().rule().isEmpty())
                .extracting(PacketStep::hook)
                .containsOnly("PREROUTING", "FORWARD", "POSTROUTING");
        assertThat(story(ProxyMode.IPTABLES, "n1", "web:80", "web-1"))
                .filteredOn(step -> step.hop().rule().contains("DNAT"))
                .extracting(PacketStep::hook)
                .containsExactly("OUTPUT");
    }
}
