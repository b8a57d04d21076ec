package dev.nodepath.linux.iptables;

import java.util.List;

/** A rule: if all matches hold, the target happens. */
public record Rule(List<Match> matches, Target target) {
    /** Copies the matches. */
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

    void appendTo(StringBuilder text) {
        String separator = "";
        for (Match match : matches) {
            match.appendTo(text.append(separator));
            separator = " ";
        }
        if (!(target instanceof Target.Nothing)) {
            target.appendTo(text.append(separator));
        }
    }
}
