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
                "Whether a part of the agent does what it is for",
                callback -> parts.get().forEach((name, state) -> callback.call(state.up() ? 1 : 0, name)),
                PART);
        define.counted(
                "nodepath_agent_part_failures_total",
                "Times that a part of the agent failed and was begun again",
                callback -> parts.get().forEach((name, state) -> callback.call((double) state.failures(), name)),
                PART);
        define.gauge(
                "nodepath_cni_configuration_first",
                "Whether the container runtime takes our network: 0 if there is none yet, or another one's sorts before",
                callback -> callback.call(isConflistFirst.getAsBoolean() ? 1 : 0));
        define.counted(
                "nodepath_agent_events_total",
                "Kubernetes Events, by whether they were sent or left out: too many, or refused",
                callback -> {
                    callback.call((double) notices.sent(), "sent");
                    callback.call((double) notices.leftOut(), "left_out");
                },
                "result");
    }
}
