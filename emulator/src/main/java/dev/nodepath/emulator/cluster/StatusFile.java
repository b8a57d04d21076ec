package dev.nodepath.emulator.cluster;

import static dev.nodepath.report.text.TextTable.words;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.topology.ServiceSpec;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.report.text.TextTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Collectors;

/** Keeps the text of {@code nodepath status} up to date in a file. */
public final class StatusFile {
    /** The file's path below the cluster's folder. */
    public static final String NAME = "status";

    private final Cluster cluster;
    private final ProxyMode mode;
    private String written = "";

    /** The status of a cluster whose agents run in this mode. */
    public StatusFile(Cluster cluster, ProxyMode mode) {
        this.cluster = cluster;
        this.mode = mode;
    }

    /** Writes the file if anything changed. */
    public void update() throws IOException {
        String text = render();
        if (!text.equals(written)) {
            Path file = cluster.folder().resolve(NAME);
            Path temporary = cluster.folder().resolve("." + NAME);
            Files.writeString(temporary, text);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            written = text;
        }
    }

    private String render() {
        TextTable nodes = new TextTable(List.of(words("NODE"), words("ADDRESS"), words("PODS"), words("AGENT")));
        for (NodeInfo node : cluster.topology().nodes()) {
            nodes.add(List.of(node.name(), joined(node.addresses()), joined(node.podCidrs()), state(node.name())));
        }
        TextTable pods = new TextTable(List.of(words("POD"), words("NODE"), words("ADDRESS"), words("READY")));
        for (PodStatus pod : cluster.pods()) {
            pods.add(List.of(
                    pod.spec().name().name(), pod.spec().node(), joined(pod.addresses()), pod.ready() ? "yes" : "no"));
        }
        TextTable services =
                new TextTable(List.of(words("SERVICE"), words("CLUSTER IP"), words("PORTS"), words("READY PODS")));
        for (ServiceSpec service : cluster.topology().services()) {
            services.add(List.of(
                    service.name().toString(), joined(service.clusterIps()), ports(service), readyPods(service)));
        }
        return nodes.toText() + "\n" + pods.toText() + "\n" + services.toText();
    }

    private String state(String node) {
        return mode
                + (cluster.isAgentAlive(node) ? "" : " (ended)")
                + (cluster.lostNodes().contains(node) ? ", lost" : "");
    }

    private static String joined(List<?> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private static String ports(ServiceSpec service) {
        return service.ports().stream()
                .map(port -> port.port() + (port.nodePort() == 0 ? "" : ":" + port.nodePort()) + "/"
                        + port.protocol().lowerCase())
                .collect(Collectors.joining(", "));
    }

    private String readyPods(ServiceSpec service) {
        String pods = cluster.pods().stream()
                .filter(pod -> pod.ready() && pod.spec().isSelectedBy(service))
                .map(pod -> pod.spec().name().name())
                .collect(Collectors.joining(", "));
        return pods.isEmpty() ? "none" : pods;
    }
}
