package dev.nodepath.emulator.page.probe;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.walk.PacketStep;
import dev.nodepath.emulator.walk.PacketStep.Decision;
import dev.nodepath.emulator.walk.RunningProxies;
import dev.nodepath.endpoints.trace.Trace;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rules that the tracer expects, beside those that the kernel says took the packet on.
 *
 * @param confirmed the steps all of whose rules the kernel has named, by their place in the list of steps
 * @param unconfirmed those of whose rules it has not named one
 * @param differences a sentence each; empty if both say the same
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
        Set<Integer> confirmed = new HashSet<>(comparison.expected);
        confirmed.removeAll(comparison.missing);
        return new KernelAgreement(confirmed, comparison.missing, comparison.differences);
    }

    /** A rule of the way. */
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

    private record NodeDecision(String node, Decision decision) {}

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
                for (Trace.Step rule : step.rules()) {
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
         * Whether the agent's chain had replaced the source before the proxy's chain could see the packet. Both have
         * one priority, so the one that was made first comes first; and after a translation no other chain of type nat
         * is asked.
         */
        private boolean isOvertaken(int index) {
            PacketStep step = steps.get(index);
            if (!step.hook().equals("POSTROUTING")) {
                return false;
            }
            boolean masquerades = steps.subList(index, steps.size()).stream()
                    .anyMatch(later -> later.where().equals(step.where()) && later.decision() == Decision.MASQUERADE);
            return masquerades
                    && kernel.hops().stream()
                            .filter(hop -> hop.node().equals(step.where()))
                            .filter(hop -> isLastTranslation(hop) || decision(hop) == Decision.MASQUERADE)
                            .findFirst()
                            .filter(hop -> decision(hop) == Decision.MASQUERADE)
                            .isPresent();
        }

        private static boolean isLastTranslation(KernelHop hop) {
            return hop.chain().equals("nat-postrouting")
                    || (hop.chain().equals("POSTROUTING") && hop.table().endsWith(" nat"));
        }

        /** What the kernel took of the proxy's rules, on the nodes that the tracer has walked. */
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
                            && (hop.chain().startsWith("KUBE-") || hop.rule().contains("-j KUBE-"));
                case USERSPACE -> false;
            };
        }

        /** The tracer of iptables names a table so. */
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
            Map<NodeDecision, KernelHop> taken = new LinkedHashMap<>();
            for (KernelHop hop : kernel.hops()) {
                Decision decision = decision(hop);
                if (decision != Decision.NONE) {
                    taken.putIfAbsent(new NodeDecision(hop.node(), decision), hop);
                }
            }
            Set<NodeDecision> promised = new LinkedHashSet<>();
            for (int i = 0; i < steps.size(); i++) {
                PacketStep step = steps.get(i);
                if (step.decision() != Decision.NONE && !kernel.silent().contains(step.where())) {
                    NodeDecision decision = new NodeDecision(step.where(), step.decision());
                    promised.add(decision);
                    expected.add(i);
                    if (!taken.containsKey(decision)) {
                        missing.add(i);
                        differences.add("On " + step.where() + ". Promised: " + step.what()
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

        /** What a rule decides of which the tracer tells the effect alone. */
        private Decision decision(KernelHop hop) {
            String rule = hop.rule();
            if (hop.table().equals(AGENT_TABLE)) {
                return rule.contains("masquerade") ? Decision.MASQUERADE : Decision.NONE;
            }
            if (proxies.mode(hop.node()) != ProxyMode.USERSPACE) {
                return Decision.NONE;
            }
            boolean portal =
                    hop.table().endsWith(" nodepath-portals") || hop.chain().startsWith("KUBE-");
            if (portal && (rule.contains("redirect to") || rule.contains("-j REDIRECT") || rule.contains("dnat "))) {
                return Decision.REDIRECT;
            }
            return portal && (rule.contains("reject") || rule.contains("-j REJECT")) ? Decision.REFUSE : Decision.NONE;
        }
    }
}
