package dev.nodepath.agent.metrics;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.cni.server.CallRequest;
import dev.nodepath.cni.server.CniServerListener;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** The calls of a CNI server, counted; and passed on to another listener. */
public final class CniMetrics implements CniServerListener {
    private static final JsonFactory JSON = new JsonFactory();

    /** The command is a client's text, and a label must be one of a few values. */
    private static final Set<String> COMMANDS = Set.of("ADD", "DEL", "CHECK", "STATUS", "GC", "VERSION");

    private final CniServerListener next;
    private final Counter calls;
    private final Histogram durations;
    private final Counter refused;
    private final Counter left;
    private final Counter answersLost;
    private final Counter acceptFailures;

    /** Adds them to a registry. */
    public CniMetrics(PrometheusRegistry registry, CniServerListener next) {
        this.next = next;
        Definitions define = new Definitions(registry);
        calls = define.counter(
                "nodepath_cni_calls_total",
                "CNI calls by command and result: 0, or the error's code (CNI specification, section Errors)",
                "command",
                "code");
        durations = define.histogram(
                "nodepath_cni_call_duration_seconds", "How long CNI calls took, in the agent", Buckets.SYNC, "command");
        refused =
                define.counter("nodepath_cni_refused_total", "Clients that were sent away, or left, before their call");
        left = define.counter(
                "nodepath_cni_left_to_client_total", "Calls that depend on the client's files, and were left to it");
        answersLost =
                define.counter("nodepath_cni_answers_lost_total", "Clients that left before they had their answer");
        acceptFailures = define.counter("nodepath_cni_accept_failures_total", "Connections that could not be taken");
    }

    @Override
    public void served(CallRequest request, CallOutcome outcome, Duration duration) {
        String named = request.variables().getOrDefault("CNI_COMMAND", "");
        String command = COMMANDS.contains(named) ? named : "other";
        calls.labelValues(command, outcome.exitCode() == 0 ? "0" : code(outcome.stdout()))
                .inc();
        durations.labelValues(command).observe(Seconds.of(duration));
        next.served(request, outcome, duration);
    }

    @Override
    public void refused(String reason) {
        refused.inc();
        next.refused(reason);
    }

    @Override
    public void leftToClient(CallRequest request) {
        left.inc();
        next.leftToClient(request);
    }

    @Override
    public void answerLost(CallRequest request, String reason) {
        answersLost.inc();
        next.answerLost(request, reason);
    }

    @Override
    public void rehearsed(CallOutcome last) {
        next.rehearsed(last);
    }

    @Override
    public void acceptFailed(String reason) {
        acceptFailures.inc();
        next.acceptFailed(reason);
    }

    /** Reads the code of an error object; a delegated plugin may print anything. */
    private static String code(String answer) {
        try (JsonParser json = JSON.createParser(answer)) {
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                if (token == JsonToken.VALUE_NUMBER_INT && "code".equals(json.currentName())) {
                    int code = json.getIntValue();
                    return code > 0 && code <= 999 ? Integer.toString(code) : "other";
                }
            }
            return "other";
        } catch (IOException e) {
            return "other";
        }
    }
}
