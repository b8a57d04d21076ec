package dev.nodepath.emulator.compare;

import dev.nodepath.agent.install.Conflist;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.cluster.PodView;
import dev.nodepath.emulator.cluster.Topology;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.report.ClusterMap;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The compared cluster as the report draws it: callers and backends. */
final class ComparedCluster {
    private final Cluster cluster;
    private final List<Caller> callers;
    private final Set<String> backends;

    ComparedCluster(Cluster cluster, List<Caller> callers, List<PodView> backends) {
        this.cluster = cluster;
        this.callers = callers;
        this.backends = new HashSet<>(backends.stream().map(PodView::name).toList());
    }

    ClusterMap map() {
        Topology topology = cluster.topology();
        return new ClusterMap(
                topology.networks().get(0).ipv4().toString(),
                topology.nodes().stream().map(node -> node(node.name())).toList(),
                List.of(place(Topology.CLIENT, cluster.clientAddress())));
    }

    private ClusterMap.Node node(String name) {
        return new ClusterMap.Node(
                place(name, cluster.nodeAddress(name)),
                ClusterMap.Place.of(
                        Conflist.BRIDGE, cluster.gatewayAddress(name).toString()),
                cluster.pods().stream()
                        .filter(pod -> pod.node().equals(name))
                        .sorted(Comparator.comparing(PodView::name))
                        .map(pod -> place(pod.name(), pod.address()))
                        .toList());
    }

    private ClusterMap.Place place(String name, IpAddress address) {
        String asks = callers.stream()
                .filter(caller -> caller.address().equals(address))
                .map(Caller::path)
                .collect(Collectors.joining(", "));
        return new ClusterMap.Place(name, address.toString(), asks, backends.contains(name));
    }
}
