package dev.nodepath.image;

import com.github.dockerjava.api.model.Network.Ipam;
import dev.nodepath.endpoints.source.kubernetes.FakeApiServer;
import io.fabric8.kubernetes.api.model.ConfigMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.testcontainers.containers.Network;

/**
 * Nodes on two networks with a router between them (the docker host), and an API server. Nodes of one network share a link; those of
 * two reach each other's pods through VXLAN alone, as the router knows no pods.
 */
final class DockerCluster implements AutoCloseable {
    static final String CLUSTER_IP = "10.96.0.10";
    static final int NODE_PORT = 30_080;

    private static final Path FOLDER = Path.of("/run/nodes");

    private final Manifests manifests = Manifests.read(Home.KIND.resolve("nodepath.yaml"));
    private final AccessRules rules = new AccessRules(manifests);
    private final AgentContainer agent = new AgentContainer(manifests);
    private final Map<String, DockerNode> nodes = new TreeMap<>();
    private final Map<String, Pod> pods = new TreeMap<>();
    private final List<Network> networks = new ArrayList<>();
    private final String apiName;
    private final Tls tls;
    private final ApiServer api;

    DockerCluster() throws Exception {
        Image.load();
        Files.createDirectories(FOLDER);
        // As the file systems of machines are: what is mounted on a node later is seen in its containers.
        Program.output("mount", "--bind", FOLDER.toString(), FOLDER.toString());
        Program.output("mount", "--make-shared", FOLDER.toString());
        Map<String, String> settings = manifests.only(ConfigMap.class).getData();
        apiName = Objects.requireNonNull(settings.get("api-server-host"));
        tls = Tls.of(apiName, FOLDER);
        api = new ApiServer(Integer.parseInt(Objects.requireNonNull(settings.get("api-server-port"))), tls, rules);
        for (int i = 0; i < 2; i++) {
            String prefix = "172.31." + i;
            Network network = Network.builder()
                    .createNetworkCmdModifier(create -> create.withIpam(new Ipam()
                            .withConfig(new Ipam.Config()
                                    .withSubnet(prefix + ".0/24")
                                    .withGateway(prefix + ".1"))))
                    .build();
            networks.add(network);
        }
    }

    /** A machine on one of the networks, which the cluster knows as a Node. Its agent is not started. */
    DockerNode addNode(String name, int network, int podNetwork) throws Exception {
        DockerNode node = new DockerNode(
                name, FOLDER.resolve(name), networks.get(network), agent, apiName + ":172.31." + network + ".1", tls);
        nodes.put(name, node);
        api.put(FakeApiServer.NODES, """
                {"metadata":{"name":"%s"},"spec":{"podCIDR":"10.244.%d.0/24","podCIDRs":["10.244.%d.0/24"]},
                "status":{"addresses":[{"type":"InternalIP","address":"%s"}]}}""".formatted(name, podNetwork, podNetwork, node.address()));
        return node;
    }

    /** Takes a node and its pods away. */
    void removeNode(DockerNode node) throws Exception {
        pods.values().removeIf(pod -> pod.node() == node);
        publish();
        api.deleteNode(node.name());
        nodes.remove(node.name());
        node.close();
    }

    /** A pod that serves, behind the Service. */
    Pod addPod(DockerNode node, String name) throws Exception {
        Pod pod = node.addPod(name);
        pods.put(name, pod);
        publish();
        return pod;
    }

    /** A pod that is behind no Service. */
    Pod addClient(DockerNode node, String name) throws Exception {
        return node.addPod(name);
    }

    List<DockerNode> nodes() {
        return List.copyOf(nodes.values());
    }

    List<Pod> pods() {
        return List.copyOf(pods.values());
    }

    ApiServer api() {
        return api;
    }

    AccessRules rules() {
        return rules;
    }

    /** The logs of all agents. */
    String logs() {
        return nodes.values().stream()
                .map(node -> node.name() + ":\n" + node.log())
                .collect(Collectors.joining("\n"));
    }

    @Override
    public void close() throws IOException {
        nodes.values().forEach(DockerNode::close);
        api.close();
        networks.forEach(Network::close);
    }

    private void publish() throws IOException {
        api.put(FakeApiServer.SERVICES, """
                {"metadata":{"namespace":"default","name":"web"},"spec":{"clusterIP":"%s","clusterIPs":["%s"],"type":"NodePort",
                "ipFamilies":["IPv4"],"ports":[{"name":"http","port":80,"nodePort":%d,"protocol":"TCP"}]}}""".formatted(CLUSTER_IP, CLUSTER_IP, NODE_PORT));
        String endpoints = pods.values().stream()
                .map(pod -> """
                        {"addresses":["%s"],"nodeName":"%s","conditions":{"ready":true}}""".formatted(pod.address(), pod.node().name()))
                .collect(Collectors.joining(","));
        api.put(FakeApiServer.SLICES, """
                {"metadata":{"namespace":"default","name":"web-1","labels":{"kubernetes.io/service-name":"web"}},
                "addressType":"IPv4","endpoints":[%s],"ports":[{"name":"http","port":%d,"protocol":"TCP"}]}""".formatted(endpoints, Pod.PORT));
    }
}
