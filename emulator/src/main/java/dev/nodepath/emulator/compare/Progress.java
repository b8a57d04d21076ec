package dev.nodepath.emulator.compare;

import java.io.PrintWriter;
import java.util.Locale;

/** Prints lines of progress, each with the time since the start. */
public final class Progress {
    private final PrintWriter out;
    private final long startNanos = System.nanoTime();

    /** Writes here. */
    public Progress(PrintWriter out) {
        this.out = out;
    }

    /** Prints a line. */
    public void say(String line) {
        out.println(String.format(Locale.ROOT, "[%5.1f s] %s", (System.nanoTime() - startNanos) / 1e9, line));
        out.flush();
    }
}
