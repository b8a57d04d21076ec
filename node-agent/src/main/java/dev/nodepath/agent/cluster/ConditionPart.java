package dev.nodepath.agent.cluster;

import dev.nodepath.agent.parts.Part;
import dev.nodepath.agent.parts.Running;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the API server that the node's network is ready: sets the Node's condition {@code NetworkUnavailable} to
 * False, as Kubernetes expects of a network provider. It never sets True: Kubernetes would then evict running pods
 * whose network still works.
 */
public final class ConditionPart implements Part {
    /** The condition's reason. */
    public static final String REASON = "NodepathIsUp";

    /** The condition's message. */
    public static final String MESSAGE = "Nodepath serves CNI calls and has the routes to the pods of other nodes";

    private static final Duration LOOK = Duration.ofMillis(500);
    private static final Duration REPEAT = Duration.ofMinutes(10);
    private static final Logger LOG = LoggerFactory.getLogger(ConditionPart.class);

    private final Supplier<Optional<String>> problem;
    private final Sink sink;

    /** The destination of the condition. */
    @FunctionalInterface
    public interface Sink {
        /** Sets the condition if it differs; true if it was changed. */
        boolean networkReady(String reason, String message) throws IOException, InterruptedException;
    }

    /**
     * Sets the condition once there is no problem.
     *
     * @param problem why the network is not ready; empty if it is
     */
    public ConditionPart(Supplier<Optional<String>> problem, Sink sink) {
        this.problem = problem;
        this.sink = sink;
    }

    @Override
    public String name() {
        return "condition";
    }

    @Override
    public void run(Running running) throws IOException, InterruptedException {
        while (true) {
            Optional<String> why = problem.get();
            if (why.isPresent()) {
                running.waiting(why.get());
            } else {
                if (sink.networkReady(REASON, MESSAGE)) {
                    LOG.atInfo()
                            .addKeyValue("condition", "NetworkUnavailable=False")
                            .log("node.condition_set");
                }
                running.up();
            }
            if (running.awaitStop(why.isPresent() ? LOOK : REPEAT)) {
                return;
            }
        }
    }
}
