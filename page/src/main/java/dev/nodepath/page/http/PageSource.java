package dev.nodepath.page.http;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The sources of the page without text that a browser ignores. Each statement begins a line, so that an error has a
 * place.
 */
final class PageSource {
    private static final Pattern STYLE_SPACE = Pattern.compile("\\s*([{};,>])\\s*|(:)\\s+");
    private static final Pattern COMMENT =
            Pattern.compile("^\\s*/\\*(?:(?!\\*/).)*\\*/$", Pattern.MULTILINE | Pattern.DOTALL);

    /**
     * A string, which stays as it is, or a sign between spaces. Two signs {@code +} or {@code -} must not become one.
     */
    private static final Pattern SCRIPT_SPACE = Pattern.compile(
            "('(?:\\\\.|[^'\\\\\n])*'|\"(?:\\\\.|[^\"\\\\\n])*\"|`[^`]*`)| *([=?:&|<>,;{}()*!\\[\\]]+) *|(?<![+-]) ([+-]) (?![+-])");

    /** The end of a line whose statement continues, by its last sign or the next one. */
    private static final Pattern CONTINUED = Pattern.compile("(?<=[,(])\n|\n(?=[.?:&|)]|\\+ )");

    private PageSource() {}

    static String style(String source) {
        return STYLE_SPACE.matcher(lines(source)).replaceAll("$1$2").replace(";}", "}");
    }

    static String script(String source) {
        return SCRIPT_SPACE
                .matcher(CONTINUED.matcher(lines(source)).replaceAll(""))
                .replaceAll(found -> Matcher.quoteReplacement(Stream.of(1, 2, 3)
                        .map(found::group)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse("")));
    }

    /** Removes comments on lines of their own, indents and empty lines. */
    private static String lines(String source) {
        return COMMENT.matcher(source)
                .replaceAll("")
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .collect(Collectors.joining("\n"));
    }
}
