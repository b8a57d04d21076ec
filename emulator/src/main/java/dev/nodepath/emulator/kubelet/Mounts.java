package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The mounts that this process sees. */
final class Mounts {
    private static final Path FILE = Path.of("/proc/self/mounts");
    private static final Pattern ESCAPE = Pattern.compile("\\\\([0-7]{3})");
    private static final int OCTAL = 8;

    private Mounts() {}

    /** Mount points, and their file systems. */
    static TreeMap<String, String> read() throws IOException {
        TreeMap<String, String> mounts = new TreeMap<>();
        for (String line : Files.readAllLines(FILE)) {
            String[] fields = line.split(" ", -1);
            mounts.put(unescaped(fields[1]), fields[2]);
        }
        return mounts;
    }

    /** The kernel writes blanks and the like as a backslash and three octal digits. */
    private static String unescaped(String path) {
        return ESCAPE.matcher(path)
                .replaceAll(escape ->
                        Matcher.quoteReplacement(Character.toString(Integer.parseInt(escape.group(1), OCTAL))));
    }
}
