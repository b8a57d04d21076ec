package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A table for {@code mount --all} in the form of fstab(5), in the order of its mounts. */
final class MountTable {
    private static final Pattern ESCAPED = Pattern.compile("[\\s\\\\#]");

    private final StringBuilder lines = new StringBuilder();

    void add(String source, Path target, String type, String options) {
        lines.append(escaped(source))
                .append(' ')
                .append(escaped(target.toString()))
                .append(' ')
                .append(type)
                .append(' ')
                .append(escaped(options))
                .append(" 0 0\n");
    }

    void write(Path file) throws IOException {
        Files.writeString(file, lines);
    }

    private static String escaped(String text) {
        return ESCAPED.matcher(text)
                .replaceAll(each -> Matcher.quoteReplacement(
                        "\\%03o".formatted((int) each.group().charAt(0))));
    }
}
