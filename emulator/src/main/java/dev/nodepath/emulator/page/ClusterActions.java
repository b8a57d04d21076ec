package dev.nodepath.emulator.page;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.page.PageActions;

/** What a reader of the page may do to the cluster. */
final class ClusterActions implements PageActions {
    private final ProbeAction probe;
    private final ChangeActions change;

    ClusterActions(Cluster cluster, KernelLinuxNet net, TimeLine timeLine) {
        this.probe = new ProbeAction(cluster, net);
        this.change = new ChangeActions(cluster, timeLine);
    }

    @Override
    public JsonNode act(String name, JsonNode what) throws RefusedException, InterruptedException {
        return switch (name) {
            case "probe" -> probe.act(what);
            case "ready" -> change.ready(what);
            case "kill" -> change.kill(what);
            case "scale" -> change.scale(what);
            case "mode" -> change.mode(what);
            default ->
                throw new RefusedException(
                        404, "/api/" + name + ": no such action (expected: probe, ready, kill, scale or mode)");
        };
    }
}
