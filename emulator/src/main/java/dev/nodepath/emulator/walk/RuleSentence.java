package dev.nodepath.emulator.walk;

import dev.nodepath.endpoints.trace.Trace;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Says in a sentence what a rule does to a packet that it matches. */
final class RuleSentence {
    private static final Pattern COMMENT = Pattern.compile("comment \"([^\"]*)\"");
    private static final Pattern TARGET = Pattern.compile("-[jg] (\\S+)");
    private static final Pattern VERDICT = Pattern.compile("(?:goto|jump) (\\S+)");
    private static final Pattern CHANCE = Pattern.compile("--probability (\\S+)");
    private static final Pattern RANDOM = Pattern.compile("numgen random mod (\\d+)");
    private static final Pattern ENDPOINT = Pattern.compile("-> (\\S+)");
    /** The statement; a rule that matches {@code ct status dnat} has another. */
    private static final Pattern NFT_DNAT = Pattern.compile("(?<!status )dnat ");

    private static final Pattern DNAT = Pattern.compile("--to-destination (\\S+)");

    private static final String MARKED = "The packet gets a mark: its source will be replaced.";
    private static final String MASQUERADED = "The source becomes an address of this node.";
    private static final String REFUSED = "The packet is refused: its sender gets an error at once.";
    private static final String DROPPED = "The packet is dropped: its sender gets no answer.";
    private static final String PASSES = "The packet may pass.";

    private RuleSentence() {}

    /** The sentence of a rule of iptables or nftables mode. */
    static String of(Trace.Step step) {
        return step.table().contains(" ") ? ofNftables(step) : ofIptables(step);
    }

    /** Whether a rule gives the packet another destination. */
    static boolean replacesDestination(Trace.Step step) {
        String rule = withoutComment(step);
        return rule.contains("-j DNAT") || NFT_DNAT.matcher(rule).find();
    }

    /** Whether a rule gives the packet an address of the node as its source. */
    static boolean replacesSource(Trace.Step step) {
        String rule = withoutComment(step);
        return rule.contains("-j MASQUERADE") || rule.contains("masquerade");
    }

    private static String withoutComment(Trace.Step step) {
        return COMMENT.matcher(step.rule()).replaceAll("");
    }

    private static String ofIptables(Trace.Step step) {
        String rule = step.rule();
        String target = first(TARGET, rule).orElse("");
        String comment = first(COMMENT, rule).orElse("");
        return switch (target) {
            case "" -> "The rule counts or remembers the packet, and changes nothing.";
            case "KUBE-MARK-MASQ" -> "The source has to be replaced: the chain KUBE-MARK-MASQ is next.";
            case "MARK" -> rule.contains("xor") ? "The mark has served and is taken off." : MARKED;
            case "MASQUERADE" -> MASQUERADED;
            case "REJECT" -> comment.isEmpty() ? REFUSED : "The packet is refused: " + comment + ".";
            case "DROP" -> DROPPED;
            case "ACCEPT" -> PASSES;
            case "RETURN" ->
                step.chain().equals("KUBE-POSTROUTING")
                        ? "The packet has no mark, so it keeps its source."
                        : "The rest of this chain is not for the packet.";
            case "DNAT" -> "The destination becomes " + first(DNAT, rule).orElse("an endpoint") + ".";
            default -> enters(target, comment, rule, step.depth());
        };
    }

    private static String enters(String chain, String comment, String rule, int depth) {
        Optional<String> endpoint = first(ENDPOINT, comment);
        if (endpoint.isPresent()) {
            return first(CHANCE, rule)
                    .map(each -> "One of " + Math.round(1 / Double.parseDouble(each))
                            + " packets that come here takes the endpoint " + endpoint.get() + ".")
                    .orElse("What is left takes the endpoint " + endpoint.get() + ".");
        }
        boolean service = depth > 0 && chain.startsWith("KUBE-") && comment.contains("/");
        return service
                ? "The packet is for " + comment + ": the chain " + chain + " is next."
                : "The chain " + chain + " is next.";
    }

    private static String ofNftables(Trace.Step step) {
        for (Trace.Element element : step.elements()) {
            Optional<String> chain = first(VERDICT, element.text());
            if (chain.isPresent()) {
                return "The map " + element.set() + " has the destination: the chain " + chain.get() + " is next.";
            }
        }
        String rule = withoutComment(step);
        if (replacesDestination(step)) {
            return first(RANDOM, rule)
                    .filter(each -> !each.equals("1"))
                    .map(each ->
                            "A random number below " + each + " chooses the endpoint that becomes the destination.")
                    .orElse("The one endpoint becomes the destination.");
        }
        if (rule.contains("masquerade")) {
            return rule.contains("meta mark")
                    ? "The packet has the mark, which is taken off. " + MASQUERADED
                    : MASQUERADED;
        }
        if (rule.contains("meta mark set")) {
            return MARKED;
        }
        return first(VERDICT, rule)
                .map(chain -> "The chain " + chain + " is next.")
                .orElseGet(() -> verdict(rule));
    }

    private static String verdict(String rule) {
        if (rule.contains("reject")) {
            return REFUSED;
        }
        if (rule.contains("drop")) {
            return DROPPED;
        }
        return rule.contains("accept") ? PASSES : "The rule matches, and changes nothing.";
    }

    private static Optional<String> first(Pattern pattern, String text) {
        return pattern.matcher(text).results().findFirst().map((MatchResult found) -> found.group(1));
    }
}
