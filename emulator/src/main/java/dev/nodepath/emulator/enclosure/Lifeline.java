package dev.nodepath.emulator.enclosure;

import java.io.IOException;

/**
 * The pipe from the command to the process in the enclosure. When the command dies, that process reads the end of
 * input.
 */
public final class Lifeline {
    private static final int EXIT_CODE = 130;

    private Lifeline() {}

    /** The byte that releases the process: it lives on after the end of input. */
    public static final int RELEASE = '!';

    /** Ends this process, and with it the enclosure, as soon as standard input ends, unless it was released before. */
    public static void hold() {
        Thread watcher = new Thread(
                () -> {
                    try {
                        if (System.in.read() == RELEASE) {
                            return;
                        }
                    } catch (IOException e) {
                        // A broken pipe means the same as the end of input.
                    }
                    Runtime.getRuntime().halt(EXIT_CODE);
                },
                "lifeline");
        watcher.setDaemon(true);
        watcher.start();
    }
}
