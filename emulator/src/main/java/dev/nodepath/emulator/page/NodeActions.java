package dev.nodepath.emulator.page;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.page.PageActions.RefusedException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** Changes of the nodes for a reader to watch: the mode of their proxies, and the end of an agent or of a node. */
final class NodeActions {
    private static final String WITHOUT_POWER =
            "has lost its Pods, its agent, its rules and its routes. Nobody knows yet: until its Lease has expired, the other"
                    + " nodes send to its Pods, and nobody answers.";

    private final Cluster cluster;
    private final TimeLine timeLine;

    NodeActions(Cluster cluster, TimeLine timeLine) {
        this.cluster = cluster;
        this.timeLine = timeLine;
    }

    /** Starts the agents of all nodes, or of one, anew in another mode, and waits until they have synced. */
    void mode(JsonNode what) throws RefusedException, InterruptedException {
        ProxyMode mode = mode(what.path("mode").asText());
        String where = what.has("node") ? withPower(what) : "every node";
        timeLine.tellAct(Act.SWITCH_MODE, where, mode);
        try {
            if (what.has("node")) {
                cluster.switchTo(where, mode);
            } else {
                cluster.switchTo(mode);
            }
            timeLine.tellRestSoon();
        } catch (IOException e) {
            throw new RefusedException(500, String.valueOf(e.getMessage()));
        }
    }

    /** Ends a node's agent as {@code kill -9} does, or starts it again in its former mode. */
    void agent(JsonNode what) throws RefusedException, InterruptedException {
        String node = withPower(what);
        boolean run = run(what);
        if (cluster.agents().isAlive(node) == run) {
            throw new RefusedException(409, "the agent of " + node + (run ? " runs already" : " has ended already"));
        }
        ProxyMode mode = mode(cluster.agents().mode(node));
        timeLine.tellAct(run ? Act.START_AGENT : Act.KILL_AGENT, node);
        if (!run) {
            timeLine.tellWhenAgentEnds(node, leftBy(mode));
            cluster.agents().kill(node);
            return;
        }
        try {
            cluster.switchTo(node, mode);
        } catch (IOException e) {
            throw new RefusedException(500, String.valueOf(e.getMessage()));
        }
    }

    /** What works without the agent, and what does not. */
    private static String leftBy(ProxyMode mode) {
        return mode == ProxyMode.USERSPACE
                ? "still has its routes and the network of its pods. The relay has ended with the agent, and its connections"
                        + " with it. The rules still lead to its port, so new connections are refused."
                : "goes on with the rules, routes and connections that its kernel has. The rules follow no change any more.";
    }

    /** Takes the power from a node, or gives it back. */
    void power(JsonNode what) throws RefusedException, InterruptedException {
        String node = node(what);
        boolean run = run(what);
        if (cluster.agents().hasPower(node) == run) {
            throw new RefusedException(409, node + (run ? " runs already" : " has no power already"));
        }
        timeLine.tellAct(run ? Act.START_NODE : Act.KILL_NODE, node);
        try {
            if (run) {
                cluster.restorePower(node);
            } else {
                timeLine.tell("note", node, WITHOUT_POWER);
                cluster.cutPower(node);
            }
        } catch (IOException e) {
            throw new RefusedException(500, node + ": " + e.getMessage());
        }
    }

    private static boolean run(JsonNode what) throws RefusedException {
        if (!what.path("run").isBoolean()) {
            throw new RefusedException(400, "run: " + what.path("run") + " (expected: true or false)");
        }
        return what.path("run").asBoolean();
    }

    private String withPower(JsonNode what) throws RefusedException {
        String node = node(what);
        if (!cluster.agents().hasPower(node)) {
            throw new RefusedException(409, node + " has no power (expected: a node that runs; start it first)");
        }
        return node;
    }

    private String node(JsonNode what) throws RefusedException {
        String name = what.path("node").asText();
        List<String> nodes =
                cluster.topology().nodes().stream().map(NodeInfo::name).toList();
        if (!nodes.contains(name)) {
            throw new RefusedException(404, "node: \"" + name + "\" (expected: one of " + nodes + ")");
        }
        return name;
    }

    /** The mode of this name. */
    static ProxyMode mode(String wanted) throws RefusedException {
        List<ProxyMode> modes = List.of(ProxyMode.values());
        return modes.stream()
                .filter(each -> each.toString().equals(wanted))
                .findFirst()
                .orElseThrow(() -> new RefusedException(
                        400,
                        "mode: \"" + wanted + "\" (expected: one of "
                                + modes.toString().toLowerCase(Locale.ROOT) + ")"));
    }
}
