package dev.nodepath.emulator.kubelet;

import java.io.BufferedReader;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The output of a process, line by line, with limits: logs are in a tmpfs. */
public final class OutputLines {
    /** The most characters of a process that a log keeps: endless output must not fill the memory. */
    public static final long KEPT_CHARACTERS_MAX = 4L * 1024 * 1024;

    private static final int LINE_CHARACTERS_MAX = 16 * 1024;

    private OutputLines() {}

    /** The next line, cut after 16 Ki characters: output may have no line ends. Null at the end. */
    public static @Nullable String next(BufferedReader output) throws IOException {
        StringBuilder line = new StringBuilder();
        int next = output.read();
        if (next < 0) {
            return null;
        }
        while (next >= 0 && next != '\n') {
            line.append((char) next);
            next = line.length() < LINE_CHARACTERS_MAX ? output.read() : '\n';
        }
        return line.toString();
    }
}
