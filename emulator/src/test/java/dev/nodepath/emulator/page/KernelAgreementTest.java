package dev.nodepath.emulator.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.walk.Hop;
import dev.nodepath.emulator.walk.Hop.Addresses;
import dev.nodepath.emulator.walk.PacketStep;
import dev.nodepath.emulator.walk.RunningProxies;
import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.linux.nftables.NftVerdict;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KernelAgreementTest {
    private static final RunningProxies IPTABLES = new RunningProxies(ProxyMode.IPTABLES, false);
    private static final Effect REDIRECTED = new Effect.NewDestination(List.of("relay on n1"));
    private static final RunningProxies USERSPACE = new RunningProxies(ProxyMode.USERSPACE, false);

    private static final PacketStep LEAVES = step("client-1", "", Effect.Plain.NOTHING);
    private static final PacketStep SERVICES =
            step("n1", "PREROUTING", Effect.Plain.NOTHING, rule("PREROUTING", "-j KUBE-SERVICES"));
    private static final PacketStep ENDPOINT =
            step("n1", "PREROUTING", Effect.Plain.NOTHING, rule("KUBE-SEP-A", "-j DNAT"));
    private static final PacketStep LAST =
            step("n1", "POSTROUTING", Effect.Plain.NOTHING, rule("POSTROUTING", "-j KUBE-POSTROUTING"));
    private static final PacketStep MASQUERADED = step("n1", "", new Effect.NewSource(false));

    private static final KernelHop TOOK_SERVICES = hop("ip nat", "PREROUTING", "-j KUBE-SERVICES");
    private static final KernelHop TOOK_ENDPOINT = hop("ip nat", "KUBE-SEP-A", "-j DNAT");
    private static final KernelHop TOOK_LAST = hop("ip nat", "POSTROUTING", "-j KUBE-POSTROUTING");
    private static final KernelHop TOOK_MASQUERADE =
            hop("inet nodepath", "pod-masquerade", "masquerade", new Effect.NewSource(false));
    private static final KernelHop TOOK_OTHER = hop("ip filter", "NODEPATH-FORWARD", "-j ACCEPT");

    @Test
    void confirmsTheStepsWhoseRulesTheKernelNames() {
        KernelAgreement agreement =
                compare(List.of(LEAVES, SERVICES, ENDPOINT), TOOK_SERVICES, TOOK_OTHER, TOOK_ENDPOINT);

        assertThat(agreement).isEqualTo(new KernelAgreement(Set.of(1, 2), Set.of(), List.of()));
    }

    @Test
    void tellsOfARuleThatTheKernelDidNotTake() {
        KernelAgreement agreement = compare(List.of(SERVICES, ENDPOINT), TOOK_SERVICES);

        assertThat(agreement.confirmed()).containsExactly(0);
        assertThat(agreement.unconfirmed()).containsExactly(1);
        assertThat(agreement.differences())
                .containsExactly("On n1, table nat. Promised: KUBE-SEP-A: -j DNAT. The kernel took: no further rule.");
    }

    @Test
    void tellsOfARuleThatNobodyPromised() {
        KernelHop added = hop("ip nat", "KUBE-SERVICES", "-m comment --comment added");

        assertThat(compare(List.of(SERVICES, ENDPOINT), TOOK_SERVICES, added, TOOK_ENDPOINT)
                        .differences())
                .containsExactly("On n1, table nat. Promised: KUBE-SEP-A: -j DNAT."
                        + " The kernel took: KUBE-SERVICES: -m comment --comment added.");
    }

    @Test
    void tellsOfRulesInAnotherOrder() {
        assertThat(compare(List.of(SERVICES, ENDPOINT), TOOK_ENDPOINT, TOOK_SERVICES)
                        .differences())
                .hasSize(1);
    }

    @Test
    void comparesTheAgentsMasqueradingByItsEffect() {
        assertThat(compare(List.of(SERVICES, MASQUERADED), TOOK_SERVICES, TOOK_MASQUERADE)
                        .confirmed())
                .containsExactlyInAnyOrder(0, 1);
        assertThat(compare(List.of(SERVICES, MASQUERADED), TOOK_SERVICES).differences())
                .hasSize(1);
        assertThat(compare(List.of(SERVICES), TOOK_SERVICES, TOOK_MASQUERADE).differences())
                .hasSize(1);
    }

    @Test
    void knowsThatTheFirstChainThatReplacesTheSourceIsTheLastOneAsked() {
        List<PacketStep> steps = List.of(SERVICES, LAST, MASQUERADED);

        assertThat(compare(steps, TOOK_SERVICES, TOOK_LAST, TOOK_MASQUERADE).differences())
                .isEmpty();
        assertThat(compare(steps, TOOK_SERVICES, TOOK_MASQUERADE)).satisfies(agreement -> {
            assertThat(agreement.differences()).isEmpty();
            assertThat(agreement.confirmed()).containsExactlyInAnyOrder(0, 2);
        });
    }

    @Test
    void comparesTheWayToTheRelayByItsEffect() {
        PacketStep redirected = step("n1", "", REDIRECTED);
        PacketStep refused = step("n1", "", new Effect.Refuses(""));
        KernelHop redirect =
                hop("ip nodepath-portals", "portals-prerouting", "redirect to :ip daddr map @portals", REDIRECTED);
        KernelHop refusal = hop("ip nodepath-portals", "refused", "ct state new reject", new Effect.Refuses(""));

        assertThat(agree(redirected, redirect)).isTrue();
        assertThat(agree(refused, refusal)).isTrue();
        assertThat(agree(redirected, refusal)).isFalse();
        assertThat(agree(LEAVES, redirect)).isFalse();
    }

    @Test
    void comparesEachNodeInItsOwnMode() {
        RunningProxies mixed = new RunningProxies(
                ProxyMode.IPTABLES,
                Map.of("n2", ProxyMode.USERSPACE),
                Set.of(),
                Set.of(),
                /* keepsClientAddress= */ false);
        KernelHop redirect =
                hop("ip nodepath-portals", "portals-prerouting", "redirect to :ip daddr map @portals", REDIRECTED);
        KernelHop other =
                new KernelHop("n2", redirect.table(), redirect.chain(), redirect.rule(), REDIRECTED, Optional.empty());

        assertThat(KernelAgreement.of(mixed, List.of(step("n2", "", REDIRECTED)), way(other))
                        .differences())
                .isEmpty();
        assertThat(KernelAgreement.of(mixed, List.of(step("n1", "", REDIRECTED)), way(redirect))
                        .differences())
                .hasSize(1);
    }

    @Test
    void tellsOfAPolicyThatRefusesWhatNobodyPromised() {
        KernelHop asked = policy("forward-ingress", "ip daddr vmap @ingress", NftVerdict.to("ingress-A"));
        KernelHop drop = policy("ingress-A", "counter drop", NftVerdict.DROP);

        assertThat(compare(List.of(SERVICES), TOOK_SERVICES, asked).differences())
                .isEmpty();
        assertThat(compare(List.of(SERVICES), TOOK_SERVICES, asked, drop).differences())
                .containsExactly("On n1, table ip nodepath-policy. Promised: no such rule."
                        + " The kernel took: ingress-A: counter drop.");
    }

    private static KernelHop policy(String chain, String rule, NftVerdict verdict) {
        return new KernelHop("n1", "ip nodepath-policy", chain, rule, Effect.Plain.NOTHING, Optional.of(verdict));
    }

    @Test
    void doesNotCompareWhatANodeCannotTell() {
        KernelWay silent = new KernelWay(List.of(), Set.of("n1"), List.of("n1 has its rules in iptables-legacy."));

        assertThat(KernelAgreement.of(IPTABLES, List.of(SERVICES, MASQUERADED), silent))
                .isEqualTo(new KernelAgreement(Set.of(), Set.of(), List.of()));
    }

    private static boolean agree(PacketStep step, KernelHop hop) {
        return KernelAgreement.of(USERSPACE, List.of(step), way(hop))
                .differences()
                .isEmpty();
    }

    private static KernelAgreement compare(List<PacketStep> steps, KernelHop... hops) {
        return KernelAgreement.of(IPTABLES, steps, way(hops));
    }

    private static KernelWay way(KernelHop... hops) {
        return new KernelWay(List.of(hops), Set.of(), List.of());
    }

    private static KernelHop hop(String table, String chain, String rule) {
        return hop(table, chain, rule, Effect.Plain.NOTHING);
    }

    private static KernelHop hop(String table, String chain, String rule, Effect effect) {
        Optional<NftVerdict> verdict =
                Optional.of(rule).filter(each -> each.contains("-j ")).map(each -> NftVerdict.jump(each.substring(3)));
        return new KernelHop("n1", table, chain, rule, effect, verdict);
    }

    private static Trace.Step rule(String chain, String text) {
        return new Trace.Step("nat", chain, 0, 1, "as the tracer spells it", text, Effect.Plain.NOTHING, List.of());
    }

    private static PacketStep step(String where, String hook, Effect effect, Trace.Step... rules) {
        Addresses addresses = new Addresses("10.244.1.3", "10.96.0.20:80");
        Hop hop = new Hop(
                where,
                Hop.Actor.PROXY_RULE,
                "It goes on.",
                "",
                Optional.empty(),
                List.of(rules),
                effect,
                Hop.Rewrite.NONE);
        return new PacketStep(hop, hook, addresses, addresses, false);
    }
}
