package dev.nodepath.linux.iptables;

import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpFamily;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Spells a rule as {@code iptables-save} 1.8 prints it, either variant: addresses, link and protocol first, then matches in
 * order, numbers as the kernel keeps them. So a rule of ours is recognised by comparing two strings.
 */
final class SavedSpelling {
    /** {@code xtables_save_string} prints a text of these characters without quotes, and puts a backslash before those. */
    private static final String ESCAPED = "\"\\'";

    /** The kernel keeps a probability as a number of 31 bits ({@code linux/netfilter/xt_statistic.h}). */
    private static final double PROBABILITY_ONE = 0x80000000L;

    private final IpFamily family;

    /** The same few come again and again; there are as many as the largest Service has endpoints. */
    private final Map<String, String> probabilities = new HashMap<>();

    SavedSpelling(IpFamily family) {
        this.family = family;
    }

    /** The specification without the chain. */
    String of(Rule rule) {
        StringBuilder text = new StringBuilder();
        addHeader(rule, text);
        for (Match match : rule.matches()) {
            add(extension(match, rule), text);
        }
        add(target(rule.target()), text);
        return text.toString();
    }

    /** What stands in the fixed part of a rule, in its order. */
    private static void addHeader(Rule rule, StringBuilder text) {
        String source = "";
        String destination = "";
        String link = "";
        String protocol = "";
        for (Match match : rule.matches()) {
            if (match instanceof Match.Source from) {
                source = network("-s ", from.network(), from.negated());
            } else if (match instanceof Match.Destination to) {
                destination = network("-d ", to.network(), to.negated());
            } else if (match instanceof Match.InputInterface) {
                link = match.toString();
            } else if (match instanceof Match.Protocol transport) {
                protocol = "-p " + transport.name();
            }
        }
        add(source, text);
        add(destination, text);
        add(link, text);
        add(protocol, text);
    }

    private static void add(String words, StringBuilder text) {
        if (!words.isEmpty()) {
            text.append(text.isEmpty() ? "" : " ").append(words);
        }
    }

    /** A network of all addresses is no condition, and is not printed. */
    private static String network(String option, Cidr network, boolean negated) {
        return network.prefixLength() == 0 ? "" : (negated ? "! " : "") + option + network.network();
    }

    private String extension(Match match, Rule rule) {
        if (match instanceof Match.Comment comment) {
            return "-m comment --comment " + quoted(comment.text());
        }
        if (match instanceof Match.Protocol protocol) {
            return "-m " + protocol.name() + port(rule);
        }
        if (match instanceof Match.Mark mark) {
            String bits = hex(mark.bits());
            return "-m mark " + (mark.negated() ? "! " : "") + "--mark " + bits + "/" + bits;
        }
        if (match instanceof Match.RecentlySeen seen) {
            return "-m recent --rcheck --seconds " + seen.seconds() + " --reap" + list(seen.list());
        }
        if (match instanceof Match.RememberSource remember) {
            return "-m recent --set" + list(remember.list());
        }
        if (match instanceof Match.Probability random) {
            return probabilities.computeIfAbsent(random.probability(), SavedSpelling::probability);
        }
        boolean elsewhere = match instanceof Match.Source
                || match instanceof Match.Destination
                || match instanceof Match.InputInterface
                || match instanceof Match.DestinationPort;
        return elsewhere ? "" : match.toString();
    }

    private static String probability(String written) {
        double kept = Math.rint(Double.parseDouble(written) * PROBABILITY_ONE) / PROBABILITY_ONE;
        return "-m statistic --mode random --probability " + String.format(Locale.ROOT, "%.11f", kept);
    }

    private static String port(Rule rule) {
        for (Match match : rule.matches()) {
            if (match instanceof Match.DestinationPort) {
                return " " + match;
            }
        }
        return "";
    }

    private String list(String name) {
        String mask = family == IpFamily.IPV4 ? "255.255.255.255" : "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
        return " --name " + name + " --mask " + mask + " --rsource";
    }

    private String target(Target target) {
        if (target == Target.Verdict.REJECT) {
            return "-j REJECT --reject-with " + (family == IpFamily.IPV4 ? "icmp" : "icmp6") + "-port-unreachable";
        }
        if (target instanceof Target.SetMark mark) {
            return "-j MARK --set-xmark " + hex(mark.bits()) + "/" + hex(mark.bits());
        }
        if (target instanceof Target.FlipMark mark) {
            return "-j MARK --set-xmark " + hex(mark.bits()) + "/0x0";
        }
        return target.toString();
    }

    private static String hex(int bits) {
        return "0x" + Integer.toHexString(bits);
    }

    private static String quoted(String text) {
        if (isPlain(text)) {
            return text;
        }
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            if (ESCAPED.indexOf(text.charAt(i)) >= 0) {
                quoted.append('\\');
            }
            quoted.append(text.charAt(i));
        }
        return quoted.append('"').toString();
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isPlain(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    private static boolean isPlain(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    }
}
