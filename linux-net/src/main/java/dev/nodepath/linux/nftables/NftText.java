package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.AddressRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * nf_tables as text: the output of {@code nft -s list} of version 1.0.6, which {@code nft -f} loads. Sets and chains
 * are in order of name, base chains before others, elements in order of key.
 */
public final class NftText {
    /** How {@code nft} continues a list of elements on the next line. */
    private static final String NEXT_LINE = ",\n\t\t\t     ";

    /** How many elements {@code nft} writes on a line; one of any other key. */
    private static final Map<List<NftDatatype>, Integer> ELEMENTS_OF_LINE =
            Map.of(List.of(NftDatatype.IPV4_ADDR), 2, List.of(NftDatatype.INET_SERVICE), 5);

    /** {@code nft} prints a priority as the distance from a name if that is not longer. */
    private static final int PRIORITY_DISTANCE_MAX = 10;

    private static final Map<String, Integer> PRIORITIES =
            Map.of("raw", -300, "mangle", -150, "dstnat", -100, "filter", 0, "security", 50, "srcnat", 100);

    private static final Map<String, Integer> BRIDGE_PRIORITIES =
            Map.of("dstnat", -300, "filter", -200, "out", 100, "srcnat", 300);

    /** The names of priorities that are for chains of one hook. */
    private static final Map<String, String> HOOK_OF_PRIORITY =
            Map.of("dstnat", "prerouting", "out", "output", "srcnat", "postrouting");

    private NftText() {}

    /** A table with all that it holds. */
    public static String table(NftTableState state) {
        List<String> blocks = new ArrayList<>();
        state.sets().values().forEach(content -> blocks.add(set(content)));
        state.chains().values().stream()
                .sorted(Comparator.comparing(chain -> chain.chain().hook().isEmpty()))
                .forEach(chain -> blocks.add(chain(chain)));
        String comment = state.comment().isEmpty() ? "" : "\tcomment " + quoted(state.comment()) + "\n";
        return "table " + state.table() + " {\n" + comment + String.join("\n", blocks) + "}\n";
    }

    private static String set(NftTableState.Elements content) {
        NftSet set = content.set();
        StringBuilder text = new StringBuilder();
        text.append('\t')
                .append(set.isMap() ? "map " : "set ")
                .append(set.name())
                .append(" {\n");
        text.append("\t\t").append(type(set)).append('\n');
        if (set.isDynamic()) {
            text.append("\t\tsize ").append(NftSet.DYNAMIC_SIZE).append('\n');
            text.append("\t\tflags dynamic,timeout\n");
            text.append("\t\ttimeout ").append(duration(set.timeout())).append('\n');
        }
        if (!set.ranges().isEmpty()) {
            boolean interval = !set.ranges().stream().allMatch(AddressRange::isSingle);
            text.append("\t\tflags constant")
                    .append(interval ? ",interval" : "")
                    .append('\n');
        }
        if (!set.comment().isEmpty()) {
            text.append("\t\tcomment ").append(quoted(set.comment())).append('\n');
        }
        List<String> elements =
                set.ranges().stream().map(NftStatementText::range).collect(Collectors.toCollection(ArrayList::new));
        content.elements().values().stream()
                .sorted(Comparator.comparing(NftElement::key))
                .map(element -> element(set, element))
                .forEach(elements::add);
        return text.append(elements(set, elements)).append("\t}\n").toString();
    }

    private static String elements(NftSet set, List<String> elements) {
        int ofLine = ELEMENTS_OF_LINE.getOrDefault(set.key(), 1);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < elements.size(); i++) {
            text.append(i == 0 ? "\t\telements = { " : i % ofLine == 0 ? NEXT_LINE : ", ")
                    .append(elements.get(i));
        }
        return elements.isEmpty() ? "" : text.append(" }\n").toString();
    }

    /** {@code nft} takes an integer only as the type of an expression, because it has no size of its own. */
    private static String type(NftSet set) {
        boolean typeOf = set.key().contains(NftDatatype.INTEGER);
        String key = fields(set.key(), typeOf);
        return (typeOf ? "typeof " : "type ") + key + (set.isMap() ? " : " + fields(set.data(), typeOf) : "");
    }

    private static String fields(List<NftDatatype> fields, boolean typeOf) {
        return fields.stream()
                .map(field -> typeOf ? expression(field) : field.toString())
                .collect(Collectors.joining(" . "));
    }

    private static String expression(NftDatatype field) {
        return switch (field) {
            case INTEGER -> "numgen random mod 2";
            case IPV4_ADDR -> "ip daddr";
            case IPV6_ADDR -> "ip6 daddr";
            case INET_PROTO -> "meta l4proto";
            case INET_SERVICE -> "th dport";
            case CLASSID -> "meta priority";
            case ETHER_ADDR -> "ether saddr";
            case IFNAME -> "iifname";
            case VERDICT -> "verdict";
        };
    }

    private static String chain(NftTableState.Chain content) {
        NftChain chain = content.chain();
        StringBuilder text = new StringBuilder("\tchain " + chain.name() + " {\n");
        if (!chain.comment().isEmpty()) {
            text.append("\t\tcomment ").append(quoted(chain.comment())).append('\n');
        }
        chain.hook()
                .ifPresent(hook -> text.append("\t\t")
                        .append(hook(chain.table().family(), hook))
                        .append('\n'));
        for (NftRule rule : content.rules()) {
            text.append("\t\t").append(rule(chain.table().family(), rule)).append('\n');
        }
        return text.append("\t}\n").toString();
    }

    private static String hook(NftFamily family, NftChain.Hook hook) {
        String name = hook.name();
        return "type " + hook.type() + " hook " + name + " priority " + priority(family, name, hook.priority())
                + "; policy " + (hook.drops() ? "drop" : "accept") + ";";
    }

    private static String priority(NftFamily family, String hook, int priority) {
        Map<String, Integer> names = family == NftFamily.BRIDGE ? BRIDGE_PRIORITIES : PRIORITIES;
        for (Map.Entry<String, Integer> named : names.entrySet()) {
            int distance = priority - named.getValue();
            if (Math.abs(distance) <= PRIORITY_DISTANCE_MAX
                    && HOOK_OF_PRIORITY.getOrDefault(named.getKey(), hook).equals(hook)) {
                String sign = distance < 0 ? " - " : " + ";
                return named.getKey() + (distance == 0 ? "" : sign + Math.abs(distance));
            }
        }
        return String.valueOf(priority);
    }

    /** A rule of a table of this family, with its comment. */
    public static String rule(NftFamily family, NftRule rule) {
        String statements =
                rule.statements().stream().map(each -> statement(family, each)).collect(Collectors.joining(" "));
        return rule.comment().isEmpty() ? statements : statements + " comment " + quoted(rule.comment());
    }

    /** A statement of a rule in a table of this family. */
    public static String statement(NftFamily family, NftStatement statement) {
        return new NftStatementText(family).of(statement);
    }

    /** An element of a set or map, with its comment. */
    public static String element(NftSet set, NftElement element) {
        String comment = element.comment().isEmpty() ? "" : " comment " + quoted(element.comment());
        Optional<String> data = element.data().map(held -> " : " + data(set.data(), held));
        return NftValueText.of(set.key(), element.key()) + comment + data.orElse("");
    }

    private static String data(List<NftDatatype> fields, NftData data) {
        return data instanceof NftValue value ? NftValueText.of(fields, value) : data.toString();
    }

    /** A time as in {@code nft}: {@code 1d2h3m4s}. */
    private static String duration(Duration duration) {
        StringBuilder text = new StringBuilder();
        append(text, duration.toDays(), "d");
        append(text, duration.toHoursPart(), "h");
        append(text, duration.toMinutesPart(), "m");
        append(text, duration.toSecondsPart(), "s");
        append(text, duration.toMillisPart(), "ms");
        return text.toString();
    }

    private static void append(StringBuilder text, long number, String unit) {
        if (number != 0) {
            text.append(number).append(unit);
        }
    }

    private static String quoted(String text) {
        return '"' + text + '"';
    }
}
