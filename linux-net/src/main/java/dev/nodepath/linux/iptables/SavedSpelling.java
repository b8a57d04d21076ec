package dev.nodepath.linux.iptables;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Spells a rule as {@code iptables-save} 1.8 prints it, either variant: addresses, link and protocol first, then
 * matches in order, numbers as the kernel keeps them. So equal texts identify our rules. For any thread.
 */
public final class SavedSpelling {
    /**
     * {@code xtables_save_string} prints a text of these characters without quotes; in other texts it puts a backslash
     * before the escaped ones.
     */
    private static final String ESCAPED = "\"\\'";

    /** The kernel keeps a probability as a number of 31 bits ({@code linux/netfilter/xt_statistic.h}). */
    private static final double PROBABILITY_ONE = 0x80000000L;

    private final IpFamily family;

    /** A cache: there are as many values as the largest Service has endpoints. */
    private final Map<String, String> probabilities = new ConcurrentHashMap<>();

    /** The spelling of {@code iptables-save} for one family. */
    public SavedSpelling(IpFamily family) {
        this.family = family;
    }

    /** Adds the specification, without the chain, to an empty text. */
    void appendTo(Rule rule, StringBuilder text) {
        appendHeader(rule, text);
        for (Match match : rule.matches()) {
            appendExtension(match, rule, text);
        }
        appendTarget(rule.target(), text);
    }

    /** The specification without the chain. */
    public String of(Rule rule) {
        StringBuilder text = new StringBuilder();
        appendTo(rule, text);
        return text.toString();
    }

    /** Adds the fixed part of a rule in its order. */
    private static void appendHeader(Rule rule, StringBuilder text) {
        Match.Source source = null;
        Match.Destination destination = null;
        Match.InputInterface link = null;
        Match.Protocol protocol = null;
        for (Match match : rule.matches()) {
            if (match instanceof Match.Source from) {
                source = from;
            } else if (match instanceof Match.Destination to) {
                destination = to;
            } else if (match instanceof Match.InputInterface in) {
                link = in;
            } else if (match instanceof Match.Protocol transport) {
                protocol = transport;
            }
        }
        if (source != null) {
            appendNetwork("-s ", source.network(), source.negated(), text);
        }
        if (destination != null) {
            appendNetwork("-d ", destination.network(), destination.negated(), text);
        }
        if (link != null) {
            link.appendTo(next(text));
        }
        if (protocol != null) {
            next(text).append("-p ").append(protocol.name());
        }
    }

    /** The network of all addresses matches everything and is not printed. */
    private static void appendNetwork(String option, Cidr network, boolean negated, StringBuilder text) {
        if (network.prefixLength() > 0) {
            network.network().appendTo(next(text).append(negated ? "! " : "").append(option));
        }
    }

    /** Adds a blank before the next word. */
    private static StringBuilder next(StringBuilder text) {
        return text.isEmpty() ? text : text.append(' ');
    }

    private void appendExtension(Match match, Rule rule, StringBuilder text) {
        if (match instanceof Match.Comment comment) {
            appendQuoted(comment.text(), next(text).append("-m comment --comment "));
        } else if (match instanceof Match.Protocol protocol) {
            next(text).append("-m ").append(protocol.name());
            appendPort(rule, text);
        } else if (match instanceof Match.Mark mark) {
            String bits = hex(mark.bits());
            next(text).append("-m mark ").append(mark.negated() ? "! " : "").append("--mark ");
            text.append(bits).append('/').append(bits);
        } else if (match instanceof Match.RecentlySeen seen) {
            next(text).append("-m recent --rcheck --seconds ").append(seen.seconds());
            appendList(seen.list(), text.append(" --reap"));
        } else if (match instanceof Match.RememberSource remember) {
            appendList(remember.list(), next(text).append("-m recent --set"));
        } else if (match instanceof Match.Probability random) {
            next(text).append("-m statistic --mode random --probability ");
            text.append(probabilities.computeIfAbsent(random.probability(), SavedSpelling::kept));
        } else if (match instanceof Match.Counted counted) {
            // Two blanks: the name is printed as every text is, with a blank in front.
            next(text).append("-m nfacct --nfacct-name  ").append(counted.counter());
        } else if (!isElsewhere(match)) {
            match.appendTo(next(text));
        }
    }

    private static boolean isElsewhere(Match match) {
        return match instanceof Match.Source
                || match instanceof Match.Destination
                || match instanceof Match.InputInterface
                || match instanceof Match.DestinationPort;
    }

    private static String kept(String probability) {
        double kept = Math.rint(Double.parseDouble(probability) * PROBABILITY_ONE) / PROBABILITY_ONE;
        return String.format(Locale.ROOT, "%.11f", kept);
    }

    private static void appendPort(Rule rule, StringBuilder text) {
        for (Match match : rule.matches()) {
            if (match instanceof Match.DestinationPort) {
                match.appendTo(text.append(' '));
            }
        }
    }

    private void appendList(String name, StringBuilder text) {
        String mask = family == IpFamily.IPV4 ? "255.255.255.255" : "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
        text.append(" --name ").append(name).append(" --mask ").append(mask).append(" --rsource");
    }

    private void appendTarget(Target target, StringBuilder text) {
        if (target == Target.Verdict.REJECT) {
            String family = this.family == IpFamily.IPV4 ? "icmp" : "icmp6";
            next(text).append("-j REJECT --reject-with ").append(family).append("-port-unreachable");
        } else if (target instanceof Target.SetMark mark) {
            String bits = hex(mark.bits());
            next(text).append("-j MARK --set-xmark ").append(bits).append('/').append(bits);
        } else if (target instanceof Target.FlipMark mark) {
            next(text).append("-j MARK --set-xmark ").append(hex(mark.bits())).append("/0x0");
        } else if (!(target instanceof Target.Nothing)) {
            target.appendTo(next(text));
        }
    }

    private static String hex(int bits) {
        return "0x" + Integer.toHexString(bits);
    }

    private static void appendQuoted(String comment, StringBuilder text) {
        if (isPlain(comment)) {
            text.append(comment);
            return;
        }
        text.append('"');
        for (int i = 0; i < comment.length(); i++) {
            if (ESCAPED.indexOf(comment.charAt(i)) >= 0) {
                text.append('\\');
            }
            text.append(comment.charAt(i));
        }
        text.append('"');
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
