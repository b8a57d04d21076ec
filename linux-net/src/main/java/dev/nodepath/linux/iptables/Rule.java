package dev.nodepath.linux.iptables;

import java.util.List;
import java.util.StringJoiner;

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
        StringJoiner words = new StringJoiner(" ");
        matches.forEach(match -> words.add(match.toString()));
        return target instanceof Target.Nothing
                ? words.toString()
                : words.add(target.toString()).toString();
    }
}
