package dev.nodepath.proxy.iptables;

import dev.nodepath.linux.iptables.SavedTable;
import dev.nodepath.linux.iptables.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Saved tables as text without parts that do not count in a comparison with kube-proxy: the order of chains, its
 * canaries, and the order of Services in the chains that recognise them, which is that of a Go map.
 */
final class ComparableRules {
    private static final String CANARY = "KUBE-PROXY-CANARY";
    private static final Pattern SERVICE_NAME = Pattern.compile("--comment \"([^\" ]+/[^\" ]+)[ \"]");

    private ComparableRules() {}

    /** One line a chain and one a rule. */
    static String text(Map<Table, SavedTable> tables) {
        StringBuilder text = new StringBuilder();
        tables.forEach((table, saved) -> {
            for (String chain : new TreeSet<>(saved.rules().keySet())) {
                if (!chain.equals(CANARY)) {
                    text.append(table + " " + chain + "\n");
                    rules(saved.rules(chain)).forEach(rule -> text.append("    " + rule + "\n"));
                }
            }
        });
        return text.toString();
    }

    static List<String> rules(List<String> saved) {
        List<String> rules = new ArrayList<>();
        List<String> ofServices = new ArrayList<>();
        for (String rule : saved) {
            if (service(rule).isEmpty()) {
                flush(ofServices, rules);
                rules.add(rule);
            } else {
                ofServices.add(rule);
            }
        }
        flush(ofServices, rules);
        return rules;
    }

    /** Rules of one Service keep their order. */
    private static void flush(List<String> ofServices, List<String> rules) {
        ofServices.sort(Comparator.comparing(ComparableRules::service));
        rules.addAll(ofServices);
        ofServices.clear();
    }

    private static String service(String rule) {
        Matcher name = SERVICE_NAME.matcher(rule);
        return name.find() ? name.group(1) : "";
    }
}
