package dev.nodepath.emulator.enclosure;

import java.io.IOException;

/** The pipe between the enclosure's first process and the front that started it: when the front dies, its end is read here. */
public final class Lifeline {
    private static final int EXIT_CODE = 130;

    private Lifeline() {}

    /** The byte that lets the process live on by itself: what comes after it says nothing any more. */
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
                        // A broken pipe says the same as its end.
                    }
                    Runtime.getRuntime().halt(EXIT_CODE);
                },
                "lifeline");
        watcher.setDaemon(true);
        watcher.start();
    }
}
