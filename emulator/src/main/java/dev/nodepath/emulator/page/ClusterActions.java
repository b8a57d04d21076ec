package dev.nodepath.emulator.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.PageActions;

/** The actions of the page's readers on the cluster. */
final class ClusterActions implements PageActions {
    private final LivePage page;
    private final ProbeAction probe;
    private final ChangeActions pods;
    private final NodeActions nodes;
    private final ServiceActions services;
    private final CompareAction compare;
    private final Restarts restarts;
    private final Runnable redraw;
    private final TimeLine timeLine;

    /**
     * Actions of a cluster.
     *
     * @param redraw called after a change, so that the picture shows it before the answer arrives
     */
    ClusterActions(
            Cluster cluster,
            KernelLinuxNet net,
            ProbedChanges changes,
            TimeLine timeLine,
            Restarts restarts,
            LivePage page,
            Runnable redraw) {
        this.page = page;
        this.probe = new ProbeAction(cluster, net, changes);
        this.pods = new ChangeActions(cluster, timeLine);
        this.nodes = new NodeActions(cluster, timeLine);
        this.services = new ServiceActions(cluster, timeLine);
        this.compare = new CompareAction(cluster, probe, timeLine);
        this.restarts = restarts;
        this.redraw = redraw;
        this.timeLine = timeLine;
    }

    @Override
    public JsonNode act(String name, JsonNode what) throws RefusedException, InterruptedException {
        if (!name.equals("probe")) {
            timeLine.tellRest();
        }
        return switch (name) {
            case "probe" -> told(probe.act(what));
            case "compare" -> compare.act(what);
            case "restart" -> {
                String done = restarts.restart(what);
                redraw.run();
                yield JsonNodeFactory.instance.objectNode().put("done", done);
            }
            default -> {
                change(name, what);
                redraw.run();
                yield JsonNodeFactory.instance.objectNode().put("done", true);
            }
        };
    }

    private void change(String name, JsonNode what) throws RefusedException, InterruptedException {
        switch (name) {
            case "ready" -> pods.ready(what);
            case "kill" -> pods.kill(what);
            case "scale" -> pods.scale(what);
            case "mode" -> nodes.mode(what);
            case "agent" -> nodes.agent(what);
            case "node" -> nodes.power(what);
            case "service" -> services.edit(what);
            default ->
                throw new RefusedException(
                        404,
                        "/api/" + name
                                + ": no such action (expected: probe, ready, kill, restart, scale, mode, agent, node, service or compare)");
        }
    }

    /** All readers see the probe of one reader. */
    private JsonNode told(ObjectNode answer) {
        page.tell(LivePage.PROBE, answer);
        return answer;
    }
}
