package dev.nodepath.emulator.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.page.probe.ProbeAction;
import dev.nodepath.emulator.page.probe.ServiceChanges;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.PageActions;

/** What a reader of the page may do to the cluster. */
final class ClusterActions implements PageActions {
    private final LivePage page;
    private final ProbeAction probe;
    private final ChangeActions change;
    private final NodeActions nodes;
    private final ServiceActions services;
    private final CompareAction compare;

    ClusterActions(Cluster cluster, KernelLinuxNet net, ServiceChanges changes, TimeLine timeLine, LivePage page) {
        this.page = page;
        this.probe = new ProbeAction(cluster, net, changes);
        this.change = new ChangeActions(cluster, timeLine);
        this.nodes = new NodeActions(cluster, timeLine);
        this.services = new ServiceActions(cluster, timeLine);
        this.compare = new CompareAction(cluster, probe, timeLine);
    }

    @Override
    public JsonNode act(String name, JsonNode what) throws RefusedException, InterruptedException {
        return switch (name) {
            case "probe" -> told(probe.act(what));
            case "ready" -> change.ready(what);
            case "kill" -> change.kill(what);
            case "scale" -> change.scale(what);
            case "mode" -> nodes.mode(what);
            case "agent" -> nodes.agent(what);
            case "node" -> nodes.power(what);
            case "service" -> services.edit(what);
            case "compare" -> compare.act(what);
            default ->
                throw new RefusedException(
                        404,
                        "/api/" + name
                                + ": no such action (expected: probe, ready, kill, scale, mode, agent, node, service or compare)");
        };
    }

    /** The answer of an action that has nothing to tell. */
    static JsonNode done() {
        return JsonNodeFactory.instance.objectNode().put("done", true);
    }

    /** All readers see what one has sent. */
    private JsonNode told(ObjectNode answer) {
        page.tell(LivePage.PROBE, answer);
        return answer;
    }
}
