package dev.nodepath.emulator.page;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.walk.Hop;
import dev.nodepath.emulator.walk.PacketStep;
import dev.nodepath.emulator.walk.PolicyHop;
import dev.nodepath.emulator.walk.RunningProxies;
import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.policy.DecidingRule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Compares the rules of the tracer with the rules that the kernel reports for the packet.
 *
 * @param confirmed the steps whose rules the kernel has all reported, by their place in the list of steps
 * @param unconfirmed the steps with a rule that the kernel has not reported
 * @param differences a sentence each; empty if tracer and kernel agree
 */
record KernelAgreement(Set<Integer> confirmed, Set<Integer> unconfirmed, List<String> differences) {
    private static final String AGENT_TABLE = "inet nodepath";

    KernelAgreement {
        confirmed = Set.copyOf(confirmed);
        unconfirmed = Set.copyOf(unconfirmed);
        differences = List.copyOf(differences);
    }

    /** Compares node by node and table by table; the order of one table's rules counts. */
    static KernelAgreement of(RunningProxies proxies, List<PacketStep> steps, KernelWay kernel) {
        Comparison comparison = new Comparison(proxies, steps, kernel);
        comparison.compareRules();
        comparison.compareDecisions();
        comparison.comparePolicies();
        Set<Integer> confirmed = new HashSet<>(comparison.expected);
        confirmed.removeAll(comparison.missing);
        return new KernelAgreement(confirmed, comparison.missing, comparison.differences);
    }

    /** A rule on the packet's way. */
    private record RuleOnWay(int step, String chain, String text) {
        boolean is(KernelHop hop) {
            return chain.equals(hop.chain()) && text.equals(hop.rule());
        }

        @Override
        public String toString() {
            return chain + ": " + text;
        }
    }

    private record NodeTable(String node, String table) {}

    /** A node rewrites or refuses the packet. */
    private record Decision(String node, Class<? extends Effect> effect) {}

    private static final class Comparison {
        private final RunningProxies proxies;
        private final List<PacketStep> steps;
        private final KernelWay kernel;
        private final Set<Integer> expected = new LinkedHashSet<>();
        private final Set<Integer> missing = new LinkedHashSet<>();
        private final List<String> differences = new ArrayList<>();

        private Comparison(RunningProxies proxies, List<PacketStep> steps, KernelWay kernel) {
            this.proxies = proxies;
            this.steps = steps;
            this.kernel = kernel;
        }

        private void compareRules() {
            Map<NodeTable, List<RuleOnWay>> promised = promised();
            Map<NodeTable, List<KernelHop>> taken = taken(promised.keySet());
            Set<NodeTable> tables = new LinkedHashSet<>(promised.keySet());
            tables.addAll(taken.keySet());
            for (NodeTable table : tables) {
                compare(table, promised.getOrDefault(table, List.of()), taken.getOrDefault(table, List.of()));
            }
        }

        private Map<NodeTable, List<RuleOnWay>> promised() {
            Map<NodeTable, List<RuleOnWay>> promised = new LinkedHashMap<>();
            for (int i = 0; i < steps.size(); i++) {
                PacketStep step = steps.get(i);
                boolean told = !kernel.silent().contains(step.where()) && !isOvertaken(i);
                for (Trace.Step rule : step.hop().rules()) {
                    if (told) {
                        expected.add(i);
                        promised.computeIfAbsent(
                                        new NodeTable(step.where(), withoutFamily(rule.table())),
                                        key -> new ArrayList<>())
                                .add(new RuleOnWay(i, rule.chain(), rule.listed()));
                    }
                }
            }
            return promised;
        }

        /**
         * Whether the agent's chain has replaced the source before the proxy's chain gets the packet. Both chains have
         * one priority, so the older one comes first. After a translation the kernel skips the other chains of type
         * nat.
         */
        private boolean isOvertaken(int index) {
            PacketStep step = steps.get(index);
            if (!step.hook().equals("POSTROUTING")) {
                return false;
            }
            boolean masquerades = steps.subList(index, steps.size()).stream()
                    .map(PacketStep::hop)
                    .anyMatch(later -> later.where().equals(step.where())
                            && decides(later)
                            && later.effect() instanceof Effect.NewSource);
            return masquerades
                    && kernel.hops().stream()
                            .filter(hop -> hop.node().equals(step.where()))
                            .filter(hop -> isLastTranslation(hop) || isMasquerade(hop))
                            .findFirst()
                            .filter(Comparison::isMasquerade)
                            .isPresent();
        }

        private static boolean isMasquerade(KernelHop hop) {
            return hop.table().equals(AGENT_TABLE) && hop.effect() instanceof Effect.NewSource;
        }

        private static boolean isLastTranslation(KernelHop hop) {
            return hop.chain().equals("nat-postrouting")
                    || (hop.chain().equals("POSTROUTING") && hop.table().endsWith(" nat"));
        }

        /** The proxy's rules that the kernel reports, on the nodes of the tracer's walk. */
        private Map<NodeTable, List<KernelHop>> taken(Set<NodeTable> promised) {
            Set<String> walked = new HashSet<>();
            promised.forEach(each -> walked.add(each.node()));
            Map<NodeTable, List<KernelHop>> taken = new LinkedHashMap<>();
            for (KernelHop hop : kernel.hops()) {
                if (walked.contains(hop.node()) && isOfProxy(hop)) {
                    taken.computeIfAbsent(
                                    new NodeTable(hop.node(), withoutFamily(hop.table())), key -> new ArrayList<>())
                            .add(hop);
                }
            }
            return taken;
        }

        private boolean isOfProxy(KernelHop hop) {
            return switch (proxies.mode(hop.node())) {
                case NFTABLES -> hop.table().endsWith(" kube-proxy");
                case IPTABLES ->
                    (hop.table().endsWith(" nat") || hop.table().endsWith(" filter"))
                            && (hop.chain().startsWith("KUBE-")
                                    || hop.verdict()
                                            .filter(to -> to.chain().startsWith("KUBE-"))
                                            .isPresent());
                case USERSPACE -> false;
            };
        }

        /** The tracer of iptables names tables without a family. */
        private static String withoutFamily(String table) {
            return table.substring(table.indexOf(' ') + 1);
        }

        private void compare(NodeTable table, List<RuleOnWay> promised, List<KernelHop> taken) {
            int next = 0;
            for (RuleOnWay rule : promised) {
                int at = next;
                while (at < taken.size() && !rule.is(taken.get(at))) {
                    at++;
                }
                if (at < taken.size()) {
                    next = at + 1;
                } else {
                    missing.add(rule.step());
                }
            }
            for (int i = 0; i < Math.max(promised.size(), taken.size()); i++) {
                boolean both = i < promised.size() && i < taken.size();
                if (!both || !promised.get(i).is(taken.get(i))) {
                    differences.add("On " + table.node() + ", table " + table.table() + ". Promised: "
                            + (i < promised.size() ? promised.get(i).toString() : "no further rule")
                            + ". The kernel took: "
                            + (i < taken.size() ? taken.get(i).text() : "no further rule") + ".");
                    return;
                }
            }
        }

        private void compareDecisions() {
            Map<Decision, KernelHop> taken = new LinkedHashMap<>();
            for (KernelHop hop : kernel.hops()) {
                if (decides(hop)) {
                    taken.putIfAbsent(new Decision(hop.node(), hop.effect().getClass()), hop);
                }
            }
            Set<Decision> promised = new LinkedHashSet<>();
            for (int i = 0; i < steps.size(); i++) {
                Hop hop = steps.get(i).hop();
                if (decides(hop) && !kernel.silent().contains(hop.where())) {
                    Decision decision = new Decision(hop.where(), hop.effect().getClass());
                    promised.add(decision);
                    expected.add(i);
                    if (!taken.containsKey(decision)) {
                        missing.add(i);
                        differences.add("On " + hop.where() + ". Promised: " + hop.what()
                                + " The kernel took no rule that does it.");
                    }
                }
            }
            taken.forEach((decision, hop) -> {
                if (!promised.contains(decision)) {
                    differences.add("On " + hop.node() + ", table " + hop.table()
                            + ". Promised: no such rule. The kernel took: " + hop.text() + ".");
                }
            });
        }

        /** Compares the rules by which policies answer, in their order on each node. */
        private void comparePolicies() {
            Map<String, List<KernelHop>> taken = new LinkedHashMap<>();
            for (KernelHop hop : kernel.hops()) {
                if (isOfPolicy(hop)) {
                    taken.computeIfAbsent(hop.node(), key -> new ArrayList<>()).add(hop);
                }
            }
            for (int i = 0; i < steps.size(); i++) {
                Hop hop = steps.get(i).hop();
                List<KernelHop> left = taken.getOrDefault(hop.where(), List.of());
                for (DecidingRule rule : kernel.silent().contains(hop.where()) ? List.<DecidingRule>of() : rules(hop)) {
                    expected.add(i);
                    Optional<KernelHop> next = left.stream().findFirst();
                    if (next.filter(took -> is(rule, took)).isPresent()) {
                        left.remove(0);
                    } else {
                        missing.add(i);
                        differences.add("On " + hop.where() + ". Promised: " + hop.what() + " The kernel took: "
                                + next.map(KernelHop::text).orElse("no rule of a policy that does it") + ".");
                        break;
                    }
                }
            }
            taken.values().stream()
                    .flatMap(List::stream)
                    .forEach(hop -> differences.add("On " + hop.node() + ", table " + hop.table()
                            + ". Promised: no such rule. The kernel took: " + hop.text() + "."));
        }

        private static List<DecidingRule> rules(Hop hop) {
            return hop.policy()
                    .filter(asked -> asked.asker() == PolicyHop.Asker.KERNEL)
                    .map(asked -> DecidingRule.of(asked.question()))
                    .orElse(List.of());
        }

        private static boolean is(DecidingRule rule, KernelHop hop) {
            return rule.chain().equals(hop.chain())
                    && hop.verdict().filter(rule.verdict()::equals).isPresent()
                    && (rule.comment().isEmpty() || hop.rule().endsWith("comment \"" + rule.comment() + "\""));
        }

        private static boolean isOfPolicy(KernelHop hop) {
            return hop.table().endsWith(" nodepath-policy")
                    && hop.verdict()
                            .filter(verdict -> DecidingRule.isOne(hop.chain(), verdict))
                            .isPresent();
        }

        /** Whether a hop expects a rule outside the tracer's walk to rewrite or refuse the packet. */
        private static boolean decides(Hop hop) {
            return hop.rules().isEmpty() && hop.policy().isEmpty() && hop.effect() != Effect.Plain.NOTHING;
        }

        /** Whether a rule that the tracer does not walk rewrites or refuses the packet: the agent's, or a portal's. */
        private boolean decides(KernelHop hop) {
            boolean portal = proxies.mode(hop.node()) == ProxyMode.USERSPACE
                    && (hop.table().endsWith(" nodepath-portals") || hop.chain().startsWith("KUBE-"));
            return (portal || hop.table().equals(AGENT_TABLE)) && hop.effect() != Effect.Plain.NOTHING;
        }
    }
}
