package dev.nodepath.linux.iptables;

import java.util.List;

/** A rule. Its target applies to packets that all its matches match. */
public record Rule(List<Match> matches, Target target) {
    public Rule {
        matches = List.copyOf(matches);
    }

    /** A rule of these matches. */
    public static Rule of(Target target, Match... matches) {
        return new Rule(List.of(matches), target);
    }

    /** The rule's specification as on the command line, without the chain. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        appendTo(text);
        return text.toString();
    }

    /** Appends the matches and the target, without the chain. */
    void appendTo(StringBuilder text) {
        String separator = "";
        // No iterator: it would be a tenth of the memory of a text.
        for (int i = 0; i < matches.size(); i++) {
            matches.get(i).appendTo(text.append(separator));
            separator = " ";
        }
        if (!(target instanceof Target.Nothing)) {
            target.appendTo(text.append(separator));
        }
    }
}
