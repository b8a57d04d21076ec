package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** One table of {@link FakeIptables}: chains of rules as text, and the lines of a restore that change them. */
final class FakeTable {
    private static final int CHAIN_NAME_MAX_CHARS = 28;
    private static final Set<String> VERDICTS = Set.of(
            "ACCEPT", "DROP", "REJECT", "RETURN", "DNAT", "SNAT", "REDIRECT", "MARK", "MASQUERADE", "LOG", "TPROXY");

    private final Table table;
    private final List<String> builtins;
    private final Map<String, List<String>> chains = new TreeMap<>();

    FakeTable(Table table) {
        this.table = table;
        this.builtins = switch (table) {
            case MANGLE -> List.of("PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING");
            case FILTER -> List.of("INPUT", "FORWARD", "OUTPUT");
            case NAT -> List.of("PREROUTING", "INPUT", "OUTPUT", "POSTROUTING");
        };
        builtins.forEach(chain -> chains.put(chain, new ArrayList<>()));
    }

    FakeTable copy() {
        FakeTable copy = new FakeTable(table);
        chains.forEach((chain, rules) -> copy.chains.put(chain, new ArrayList<>(rules)));
        return copy;
    }

    void execute(String line) {
        if (line.startsWith(":")) {
            declare(line.substring(1, line.indexOf(' ')));
            return;
        }
        String[] words = line.split(" ", 3);
        String rest = words.length > 2 ? words[2] : "";
        switch (words[0]) {
            case "-A" -> rules(words[1]).add(checked(rest));
            case "-I" -> insert(rules(words[1]), rest);
            case "-D" -> delete(words[1], rest);
            case "-F" -> rules(words[1]).clear();
            case "-X" -> drop(words[1]);
            default -> throw new IllegalArgumentException("Bad argument `" + words[0] + "'");
        }
    }

    /** The kernel's checks of a complete batch: every jump leads to a chain, and there are no loops. */
    void check() {
        for (String chain : chains.keySet()) {
            checkNoLoop(chain, new TreeSet<>());
        }
    }

    String text() {
        StringBuilder text = new StringBuilder("*" + table + "\n");
        builtins.forEach(chain -> text.append(":" + chain + " ACCEPT [0:0]\n"));
        List<String> ordered = new ArrayList<>(builtins);
        for (String chain : chains.keySet()) {
            if (!builtins.contains(chain)) {
                ordered.add(chain);
                text.append(":" + chain + " - [0:0]\n");
            }
        }
        for (String chain : ordered) {
            rules(chain).forEach(rule -> text.append(("-A " + chain + " " + rule).strip() + "\n"));
        }
        return text + "COMMIT\n";
    }

    private void declare(String chain) {
        if (chain.length() > CHAIN_NAME_MAX_CHARS) {
            throw new IllegalArgumentException("chain name `" + chain + "' too long (must be under 29 chars)");
        }
        if (!builtins.contains(chain)) {
            chains.put(chain, new ArrayList<>());
        }
    }

    private List<String> rules(String chain) {
        List<String> rules = chains.get(chain);
        if (rules == null) {
            throw new IllegalArgumentException("No chain/target/match by that name.");
        }
        return rules;
    }

    private String checked(String rule) {
        SavedRule.target(rule)
                .filter(target -> !VERDICTS.contains(target) && !chains.containsKey(target))
                .ifPresent(target -> {
                    throw new IllegalArgumentException("Chain '" + target + "' does not exist");
                });
        return rule;
    }

    private void insert(List<String> rules, String numberAndRule) {
        String[] words = numberAndRule.split(" ", 2);
        boolean numbered = words[0].matches("[0-9]+");
        int position = numbered ? Integer.parseInt(words[0]) : 1;
        if (position < 1 || position > rules.size() + 1) {
            throw new IllegalArgumentException("Index of insertion too big.");
        }
        rules.add(position - 1, checked(numbered ? words[1] : numberAndRule));
    }

    private void delete(String chain, String rule) {
        List<String> rules = chains.getOrDefault(chain, List.of());
        for (int i = 0; i < rules.size(); i++) {
            if (SavedRule.normalised(rules.get(i)).equals(SavedRule.normalised(rule))) {
                rules.remove(i);
                return;
            }
        }
        throw new IllegalArgumentException("Bad rule (does a matching rule exist in that chain?).");
    }

    private void drop(String chain) {
        boolean referred = chains.values().stream()
                .flatMap(List::stream)
                .anyMatch(rule -> SavedRule.target(rule).filter(chain::equals).isPresent());
        if (!rules(chain).isEmpty() || referred || builtins.contains(chain)) {
            throw new IllegalArgumentException("CHAIN_DEL failed (Device or resource busy): chain " + chain);
        }
        chains.remove(chain);
    }

    private void checkNoLoop(String chain, Set<String> callers) {
        if (!callers.add(chain)) {
            throw new IllegalArgumentException("RULE_APPEND failed (Too many links): rule in chain " + chain);
        }
        for (String rule : rules(chain)) {
            SavedRule.target(rule).filter(chains::containsKey).ifPresent(target -> checkNoLoop(target, callers));
        }
        callers.remove(chain);
    }
}
