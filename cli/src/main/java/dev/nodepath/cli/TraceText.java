package dev.nodepath.cli;

import dev.nodepath.endpoints.trace.Trace;
import java.util.Locale;

/** A trace as text. */
final class TraceText {
    private static final int INDENT_CHARS = 2;

    private TraceText() {}

    /** Lines for people: packet, matching rules, answers of policies, and the outcomes with their probability. */
    static String of(TracedPolicies traced) {
        Trace trace = traced.trace();
        StringBuilder text = new StringBuilder();
        text.append(trace.packet()).append("\n\nRules that match, those of every endpoint that chance can choose:\n");
        String table = "";
        String chain = "";
        for (Trace.Step step : trace.steps()) {
            if (!step.table().equals(table) || !step.chain().equals(chain)) {
                table = step.table();
                chain = step.chain();
                text.append(indent(step.depth() + 1))
                        .append(table)
                        .append(' ')
                        .append(chain)
                        .append('\n');
            }
            text.append(indent(step.depth() + 2))
                    .append(step.number())
                    .append(". ")
                    .append(step.rule())
                    .append('\n');
            for (Trace.Element element : step.elements()) {
                text.append(indent(step.depth() + 3))
                        .append('@')
                        .append(element.set())
                        .append(" has ")
                        .append(element.text())
                        .append('\n');
            }
        }
        text.append(trace.steps().isEmpty() ? "  none\n" : "");
        if (!traced.sentences().isEmpty()) {
            text.append("\nWhat policies say:\n");
            traced.sentences()
                    .forEach(sentence -> text.append("  ").append(sentence).append('\n'));
        }
        text.append("\nWhat becomes of it:\n");
        trace.outcomes()
                .forEach(outcome -> text.append("  ").append(line(outcome)).append('\n'));
        return text.toString();
    }

    private static String line(Trace.Outcome outcome) {
        String destination = outcome.address().withPort(outcome.port());
        return String.format(Locale.ROOT, "%5.1f%%  ", outcome.probability() * 100)
                + switch (outcome.verdict()) {
                    case ENDPOINT -> "goes to " + destination + seen(outcome);
                    case ACCEPT -> "is accepted for " + destination + seen(outcome);
                    case DROP -> "is dropped: the sender gets no answer";
                    case REJECT -> "is rejected: the sender gets an error at once";
                    case UNTOUCHED -> "goes on to " + destination + ": no rule changes or drops it" + seen(outcome);
                };
    }

    private static String seen(Trace.Outcome outcome) {
        return outcome.masqueraded()
                ? ", masqueraded: it sees an address of this node as the source"
                : ", not masqueraded: it sees the sender's address";
    }

    private static String indent(int depth) {
        return " ".repeat(depth * INDENT_CHARS);
    }
}
