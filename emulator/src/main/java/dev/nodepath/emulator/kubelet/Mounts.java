package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The mounts that this process sees. */
final class Mounts {
    private static final Path FILE = Path.of("/proc/self/mounts");
    private static final Pattern ESCAPE = Pattern.compile("\\\\([0-7]{3})");
    private static final int OCTAL = 8;

    private Mounts() {}

    /**
     * One of them.
     *
     * @param type of its file system
     * @param options as {@code mount} takes them
     */
    record Mount(String type, List<String> options) {}

    /** By mount point. */
    static NavigableMap<String, Mount> read() throws IOException {
        TreeMap<String, Mount> mounts = new TreeMap<>();
        // A container may have given the place of a mount a name that is no text.
        for (String line : new String(Files.readAllBytes(FILE), StandardCharsets.UTF_8).split("\n", 0)) {
            String[] fields = line.split(" ", -1);
            mounts.put(unescaped(fields[1]), new Mount(fields[2], List.of(fields[3].split(","))));
        }
        return mounts;
    }

    /** Undoes the kernel's escapes: blanks and the like are a backslash and three octal digits. */
    private static String unescaped(String path) {
        return ESCAPE.matcher(path)
                .replaceAll(escape ->
                        Matcher.quoteReplacement(Character.toString(Integer.parseInt(escape.group(1), OCTAL))));
    }
}
