package dev.nodepath.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How eager the kernel is to end this process when memory is short ({@code proc_pid_oom_score_adj(5)}). */
final class OomScore {
    private static final Logger LOG = LoggerFactory.getLogger(OomScore.class);
    private static final Path FILE = Path.of("/proc/self/oom_score_adj");
    private static final int LIMIT = 1000;

    private OomScore() {}

    /** Sets it; lowering it needs CAP_SYS_RESOURCE, and without that it stays as it is, with a line in the log. */
    static void adjust(int score) throws CommandException {
        if (Math.abs(score) > LIMIT) {
            throw CommandException.wrongUsage(List.of("--oom-score-adj: " + score + " (expected: -1000 to 1000)"));
        }
        try {
            Files.writeString(FILE, Integer.toString(score));
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("score", score)
                    .addKeyValue("error", e.getMessage())
                    .log("process.oom_score_left");
        }
    }
}
