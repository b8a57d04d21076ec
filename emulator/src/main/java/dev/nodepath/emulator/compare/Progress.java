package dev.nodepath.emulator.compare;

import dev.nodepath.report.form.Wrapped;
import java.io.PrintWriter;
import java.util.Locale;

/** Prints lines of progress, each with the time since the start. */
public final class Progress {
    private final PrintWriter out;
    private final long startNanos = System.nanoTime();

    /** Writes the lines to this writer. */
    public Progress(PrintWriter out) {
        this.out = out;
    }

    /** Prints a line, in parts if it is too long for a terminal. */
    public void say(String line) {
        out.print(Wrapped.text(String.format(Locale.ROOT, "[%5.1f s] ", (System.nanoTime() - startNanos) / 1e9), line));
        out.flush();
    }
}
