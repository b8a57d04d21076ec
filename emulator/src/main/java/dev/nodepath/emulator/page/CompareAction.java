package dev.nodepath.emulator.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.page.PageActions.RefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Sends the same probe in two modes, and many more for their latency. The rounds are in the order A B B A, so a steady
 * change on the machine affects both modes alike. Afterwards each node has its former mode.
 */
final class CompareAction {
    /** A relay is slow until its code is compiled. */
    private static final int WARM_UP = 300;

    private static final int PROBES_IN_ROUND = 100;
    /** A server may speak another protocol than the probe's. */
    private static final Set<String> ANSWERED = Set.of("answered", "taken", "closed");

    private final Cluster cluster;
    private final ProbeAction probe;
    private final TimeLine timeLine;

    CompareAction(Cluster cluster, ProbeAction probe, TimeLine timeLine) {
        this.cluster = cluster;
        this.probe = probe;
        this.timeLine = timeLine;
    }

    /** The observations in one mode. */
    private record Seen(JsonNode answer, LatencySample latency) {}

    /**
     * Compares two modes; the answer has a part for each, with a probe as the page gets it and the latencies in
     * microseconds.
     */
    JsonNode act(JsonNode what) throws RefusedException, InterruptedException {
        List<ProxyMode> modes = modes(what.path("modes"));
        // A wrong name is refused before anything changes.
        probe.walk(what.path("from").asText(), what.path("to").asText());
        Map<String, ProxyMode> before = modesOfNodes();
        Map<ProxyMode, Seen> seen = new TreeMap<>();
        timeLine.tellAct(Act.COMPARE, "every node", modes.get(0), modes.get(1));
        try {
            for (ProxyMode mode : List.of(modes.get(0), modes.get(1), modes.get(1), modes.get(0))) {
                switchTo(mode);
                Seen first = seen.get(mode);
                seen.put(mode, first == null ? firstRound(what, mode) : secondRound(what, mode, first));
            }
        } finally {
            restore(before);
        }
        return json(what, modes, seen);
    }

    private List<ProxyMode> modes(JsonNode names) throws RefusedException {
        List<ProxyMode> modes = new ArrayList<>();
        for (JsonNode name : names) {
            modes.add(NodeActions.mode(name.asText()));
        }
        if (modes.size() != 2 || modes.get(0) == modes.get(1)) {
            throw new RefusedException(400, "modes: " + names + " (expected: two different ones)");
        }
        return modes;
    }

    private Map<String, ProxyMode> modesOfNodes() throws RefusedException {
        Map<String, ProxyMode> modes = new TreeMap<>();
        for (NodeInfo node : cluster.topology().nodes()) {
            if (!cluster.agents().hasPower(node.name())) {
                throw new RefusedException(
                        409, node.name() + " has no power (expected: nodes that run; start it first)");
            }
            if (!cluster.agents().isAlive(node.name())) {
                throw new RefusedException(
                        409, "the agent of " + node.name() + " has ended (expected: agents that run; start it first)");
            }
            modes.put(node.name(), NodeActions.mode(cluster.agents().mode(node.name())));
        }
        return modes;
    }

    private void switchTo(ProxyMode mode) throws RefusedException, InterruptedException {
        if (cluster.agents().mode().equals(mode.toString())) {
            return;
        }
        tell("switch every node to " + mode + " mode");
        try {
            cluster.switchTo(mode);
        } catch (IOException e) {
            throw new RefusedException(500, "no switch to " + mode + " mode: " + e.getMessage());
        }
    }

    /** Gives all nodes their former modes, even after a failure. */
    private void restore(Map<String, ProxyMode> before) throws RefusedException, InterruptedException {
        List<String> failed = new ArrayList<>();
        for (Map.Entry<String, ProxyMode> node : before.entrySet()) {
            if (!cluster.agents().mode(node.getKey()).equals(node.getValue().toString())) {
                tell("switch " + node.getKey() + " back to " + node.getValue() + " mode");
                try {
                    cluster.switchTo(node.getKey(), node.getValue());
                } catch (IOException e) {
                    failed.add(node.getKey() + " is not back in " + node.getValue() + " mode, which it had before: "
                            + e.getMessage());
                }
            }
        }
        if (!failed.isEmpty()) {
            throw new RefusedException(500, String.join("; ", failed));
        }
    }

    /** Begins with the probe for the page. An unanswered probe has no latency. */
    private Seen firstRound(JsonNode what, ProxyMode mode) throws RefusedException, InterruptedException {
        JsonNode answer = probe.act(what);
        boolean answered = ANSWERED.contains(answer.at("/observed/kind").asText());
        return new Seen(answer, answered ? measure(what, mode, 1) : LatencySample.NONE);
    }

    private Seen secondRound(JsonNode what, ProxyMode mode, Seen first) throws RefusedException {
        return first.latency().micros().isEmpty()
                ? first
                : new Seen(first.answer(), first.latency().and(measure(what, mode, 2)));
    }

    private LatencySample measure(JsonNode what, ProxyMode mode, int round) throws RefusedException {
        tell(PROBES_IN_ROUND + " probes in " + mode + " mode, round " + round + " of 2");
        Walk walk = probe.walk(what.path("from").asText(), what.path("to").asText());
        try {
            LatencySample warm = take(walk, WARM_UP);
            return warm.micros().isEmpty() ? warm : take(walk, PROBES_IN_ROUND);
        } catch (LinuxNetException e) {
            throw new RefusedException(500, "the probes were not sent: " + e.getMessage());
        }
    }

    private LatencySample take(Walk walk, int count) throws LinuxNetException {
        return LatencySample.take(probe.namespace(walk.from()), walk.to(), walk.source(), count);
    }

    private void tell(String what) {
        timeLine.tell("compare", "comparison", what);
    }

    private static JsonNode json(JsonNode what, List<ProxyMode> modes, Map<ProxyMode, Seen> seen) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.set("from", what.path("from"));
        json.set("to", what.path("to"));
        ArrayNode parts = json.putArray("modes");
        for (ProxyMode mode : modes) {
            Seen its = seen.get(mode);
            if (its != null) {
                ObjectNode part = parts.addObject().put("mode", mode.toString());
                part.set("probe", its.answer());
                its.latency().micros().forEach(part.putArray("micros")::add);
                part.put("failed", its.latency().failed());
            }
        }
        return json;
    }
}
