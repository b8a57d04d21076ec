package dev.nodepath.agent.daemon;

import dev.nodepath.agent.cluster.Notices;
import dev.nodepath.agent.parts.PartListener;
import dev.nodepath.agent.parts.Parts;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports failures of parts: logs each new failure, and publishes failures that need action as notices. */
final class PartLog implements PartListener {
    private static final Logger LOG = LoggerFactory.getLogger(PartLog.class);

    private final Notices notices;
    private final Map<String, String> last = new HashMap<>();

    PartLog(Notices notices) {
        this.notices = notices;
    }

    @Override
    public synchronized void failed(String part, Throwable error, Duration retryIn) {
        String problem = Parts.explain(error);
        if (problem.equals(last.put(part, problem))) {
            LOG.atDebug()
                    .addKeyValue("part", part)
                    .addKeyValue("error", problem)
                    .log("agent.part_failed");
            return;
        }
        boolean expected = !(error instanceof RuntimeException || error instanceof Error);
        (expected ? LOG.atWarn() : LOG.atError().setCause(error))
                .addKeyValue("part", part)
                .addKeyValue("error", problem)
                .addKeyValue("retry_ms", retryIn.toMillis())
                .log("agent.part_failed");
        // An unreachable API server cannot take an Event; a refusal can be reported.
        boolean serverAway = part.equals("source") && !problem.contains("RBAC rule");
        if (!serverAway && !part.equals("events")) {
            notices.warn("PartFailed", part + ": " + problem);
        }
    }
}
