package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Hook;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.SavedTable;
import dev.nodepath.linux.iptables.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares our rules with kube-proxy's without a kernel, so only as sets of words, spelled as the kernel spells them;
 * {@link RecordingNetnsTest} compares exactly.
 */
class RuleRecordingTest {
    @ParameterizedTest
    @MethodSource("dev.nodepath.proxy.iptables.Recording#all")
    void hasTheChainsAndRulesOfKubeProxy(Recording recording) throws Exception {
        for (IpFamily family : IpFamily.values()) {
            Map<Table, SavedTable> tables = new EnumMap<>(Table.class);
            recording.tables(family).forEach((table, saved) -> tables.put(table, words(saved)));
            RuleSet rules = IptablesRules.of(recording.snapshot(), recording.config(), family);
            assertThat(ComparableRules.text(asSaved(rules, family)))
                    .as("%s %s", recording, family)
                    .isEqualTo(ComparableRules.text(tables));
        }
    }

    private static Map<Table, SavedTable> asSaved(RuleSet rules, IpFamily family) {
        Map<Table, SavedTable> tables = new EnumMap<>(Table.class);
        for (Table table : List.of(Table.FILTER, Table.NAT)) {
            Map<String, List<String>> chains = new TreeMap<>();
            Set<String> builtins = table == Table.NAT
                    ? Set.of("PREROUTING", "INPUT", "OUTPUT", "POSTROUTING")
                    : Set.of("INPUT", "FORWARD", "OUTPUT");
            builtins.forEach(builtin -> chains.put(builtin, new ArrayList<>()));
            for (Hook hook : rules.hooks()) {
                if (hook.table() == table) {
                    chains.computeIfAbsent(hook.builtin(), builtin -> new ArrayList<>())
                            .add(hook.rule().toString());
                }
            }
            rules.chains(table)
                    .forEach((chain, list) -> chains.put(
                            chain,
                            list.stream()
                                    .map(rule -> respell(rule.toString(), family))
                                    .toList()));
            tables.put(table, words(new SavedTable(builtins, chains)));
        }
        return tables;
    }

    private static String respell(String rule, IpFamily family) {
        boolean ipv4 = family == IpFamily.IPV4;
        String mask = ipv4 ? "255.255.255.255" : "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
        return rule.replaceAll("(-m recent )", "$1--mask " + mask + " --rsource ")
                .replaceAll("(-[sd] [0-9a-f.:]+)(?= )", ipv4 ? "$1/32" : "$1/128")
                .replace("--or-mark 0x00004000", "--set-xmark 0x4000/0x4000")
                .replace("--xor-mark 0x00004000", "--set-xmark 0x4000/0x0")
                .replace("0x00004000", "0x4000")
                .replace("-j REJECT", "-j REJECT --reject-with " + (ipv4 ? "icmp" : "icmp6") + "-port-unreachable");
    }

    /** The comment stays whole and first, because it has the name of its Service. */
    private static SavedTable words(SavedTable saved) {
        Map<String, List<String>> chains = new TreeMap<>();
        saved.rules()
                .forEach((chain, rules) -> chains.put(
                        chain,
                        ComparableRules.rules(rules).stream()
                                .map(RuleRecordingTest::words)
                                .toList()));
        return new SavedTable(saved.builtins(), chains);
    }

    private static String words(String rule) {
        String comment = rule.replaceAll(".*(--comment \"[^\"]*\").*|.*", "$1");
        String rest = rule.replace(comment, "").replaceAll("(--probability 0\\.[0-9]{5})[0-9]*", "$1");
        String[] words = rest.split(" +", -1);
        Arrays.sort(words);
        return comment + String.join(" ", words);
    }
}
