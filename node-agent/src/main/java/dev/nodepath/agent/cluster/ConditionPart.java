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
 * Tells the API server that the node's network is ready: its Node's condition {@code NetworkUnavailable} becomes False, as the
 * Node's documentation asks of whoever makes the network. It is never set to True: pods that run would be moved away from a
 * node whose network still carries them.
 */
public final class ConditionPart implements Part {
    /** What the condition gives as its reason. */
    public static final String REASON = "NodepathIsUp";

    /** What it says about the node. */
    public static final String MESSAGE = "Nodepath serves CNI calls and has the routes to the pods of other nodes";

    private static final Duration LOOK = Duration.ofMillis(500);
    private static final Duration REPEAT = Duration.ofMinutes(10);
    private static final Logger LOG = LoggerFactory.getLogger(ConditionPart.class);

    private final Supplier<Optional<String>> problem;
    private final Sink sink;

    /** Where the condition is told. */
    @FunctionalInterface
    public interface Sink {
        /** Sets it, unless it holds already; whether it had to. */
        boolean networkReady(String reason, String message) throws IOException, InterruptedException;
    }

    /**
     * Tells it once there is no problem.
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
