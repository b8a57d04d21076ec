package dev.nodepath.emulator.walk;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A walk for people: a line for each hop, and below it the rule. */
final class WalkText {
    private final Walk walk;
    private final StringBuilder text = new StringBuilder();
    private final int width;

    private WalkText(Walk walk) {
        this.walk = walk;
        this.width = Stream.concat(
                        walk.there().stream(),
                        walk.ends().stream().flatMap(end -> Stream.concat(end.there().stream(), end.back().stream())))
                .mapToInt(hop -> hop.where().length())
                .max()
                .orElse(0);
    }

    static String of(Walk walk) {
        return new WalkText(walk).text();
    }

    private String text() {
        text.append(walk.to().protocol().lowerCase())
                .append(' ')
                .append(walk.source())
                .append(" -> ")
                .append(walk.to())
                .append(", from ")
                .append(walk.from().name())
                .append(" to ")
                .append(walk.to().what())
                .append(", mode ")
                .append(walk.mode())
                .append("\n\nThe way there:\n");
        hops(walk.there());
        for (Walk.End end : walk.ends()) {
            text.append('\n').append(title(end)).append('\n');
            hops(end.there());
            if (!end.back().isEmpty()) {
                text.append("  and back:\n");
                hops(end.back());
            }
        }
        return text.toString();
    }

    private static String title(Walk.End end) {
        String where = end.address().withPort(end.port());
        return String.format(Locale.ROOT, "%.1f%% ", end.probability() * 100)
                + switch (end.verdict()) {
                    case DROP -> "is dropped: the sender gets no answer";
                    case REJECT -> "is rejected: the sender gets an error at once";
                    case ENDPOINT, ACCEPT, UNTOUCHED ->
                        end.reaches() ? "goes to " + where + " (" + end.name() + ")" : "reaches nobody: " + where;
                };
    }

    private void hops(List<Hop> hops) {
        for (Hop hop : hops) {
            text.append("  ")
                    .append(hop.where())
                    .append(" ".repeat(width - hop.where().length() + 2))
                    .append(hop.what())
                    .append('\n');
            if (!hop.rule().isEmpty()) {
                text.append(" ".repeat(width + 6)).append(hop.rule()).append('\n');
            }
        }
    }
}
