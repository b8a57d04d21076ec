package dev.nodepath.agent.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The preference of the kernel to kill this process when memory is short ({@code proc_pid_oom_score_adj(5)}). */
public final class OomScore {
    private static final Logger LOG = LoggerFactory.getLogger(OomScore.class);
    private static final Path FILE = Path.of("/proc/self/oom_score_adj");
    private static final int LIMIT = 1000;

    private OomScore() {}

    /** Fails if the value is out of range. */
    static void check(int score) throws CommandException {
        if (Math.abs(score) > LIMIT) {
            throw CommandException.wrongUsage(List.of("--oom-score-adj: " + score + " (expected: -1000 to 1000)"));
        }
    }

    /** Sets it. Lowering it needs CAP_SYS_RESOURCE; without the capability it stays, and a line is logged. */
    public static void adjust(int score) {
        adjust(score, FILE);
    }

    /** Sets the score in a file like {@code /proc/self/oom_score_adj}. */
    public static void adjust(int score, Path file) {
        String before = current(file);
        if (before.equals(Integer.toString(score))) {
            return;
        }
        try {
            Files.writeString(file, Integer.toString(score));
            LOG.atInfo()
                    .addKeyValue("before", before)
                    .addKeyValue("now", current(file))
                    .log("process.oom_score_set");
        } catch (IOException e) {
            LOG.atInfo()
                    .addKeyValue("now", before)
                    .addKeyValue("requested", score)
                    .addKeyValue("error", e.getMessage())
                    .addKeyValue("expected", "CAP_SYS_RESOURCE, to lower it")
                    .log("process.oom_score_not_set");
        }
    }

    /** The present value; "unknown" if it cannot be read. */
    public static String current() {
        return current(FILE);
    }

    private static String current(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
