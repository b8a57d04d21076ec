package dev.nodepath.agent.metrics;

import dev.nodepath.agent.cluster.Notices;
import dev.nodepath.agent.parts.PartState;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The state of an agent's parts, and its notices. */
public final class AgentMetrics {
    private static final String PART = "part";

    private AgentMetrics() {}

    /** Adds them to a registry. */
    public static void register(
            PrometheusRegistry registry,
            Supplier<Map<String, PartState>> parts,
            Notices notices,
            BooleanSupplier isConflistFirst) {
        Definitions define = new Definitions(registry);
        define.gauge(
                "nodepath_agent_part_up",
                "Whether a part of the agent works: 1 if it does",
                callback -> parts.get().forEach((name, state) -> callback.call(state.up() ? 1 : 0, name)),
                PART);
        define.counted(
                "nodepath_agent_part_failures_total",
                "Failures of a part of the agent, after each of which it is restarted",
                callback -> parts.get().forEach((name, state) -> callback.call((double) state.failures(), name)),
                PART);
        define.gauge(
                "nodepath_cni_configuration_first",
                "Whether Nodepath's network configuration is the first in the runtime's folder: 0 if it is"
                        + " missing or another one sorts before it",
                callback -> callback.call(isConflistFirst.getAsBoolean() ? 1 : 0));
        define.counted(
                "nodepath_agent_events_total",
                "Kubernetes Events of the agent, by result: sent, or left_out because there were too many or"
                        + " the API server refused them",
                callback -> {
                    callback.call((double) notices.sent(), "sent");
                    callback.call((double) notices.leftOut(), "left_out");
                },
                "result");
    }
}
