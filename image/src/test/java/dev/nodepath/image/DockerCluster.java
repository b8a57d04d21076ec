package dev.nodepath.image;

import com.github.dockerjava.api.model.Network.Ipam;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import io.fabric8.kubernetes.api.model.ConfigMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.testcontainers.containers.Network;

/**
 * Nodes on two networks with a router between them (the docker host), and an API server. Nodes of one network share a
 * link. Nodes of different networks reach each other's pods only through VXLAN, as the router has no routes to pods.
 * The first network and its nodes are dual-stack, the others have IPv4 alone. The Service has all pods as endpoints by
 * TCP and by UDP; its IPv6 cluster IP has those with an IPv6 address.
 */
final class DockerCluster implements AutoCloseable {
    /** The port of the Service, by TCP and by UDP. */
    static final int PORT = 80;

    static final int NODE_PORT = 30_080;

    private final DeployManifests manifests = DeployManifests.read(Home.KIND.resolve("nodepath.yaml"));
    private final AccessRules rules = new AccessRules(manifests);
    private final AgentContainer agent = new AgentContainer(manifests);
    private final Map<String, DockerNode> nodes = new TreeMap<>();
    private final Map<String, Pod> pods = new TreeMap<>();
    private final List<Network> networks = new ArrayList<>();
    private final OpenedResources closing = new OpenedResources();
    private final Path folder;
    private final String apiName;
    private final Tls tls;
    private final ContainerApiServer api;

    DockerCluster() throws Exception {
        Image.load();
        folder = Files.createTempDirectory(Path.of("/run"), "nodes");
        try {
            // As on real machines: a later mount on the node is seen in its containers.
            HostProgram.output("mount", "--bind", folder.toString(), folder.toString());
            // With all mounts below it.
            closing.add(() -> HostProgram.output("umount", "--lazy", folder.toString()));
            HostProgram.output("mount", "--make-shared", folder.toString());
            Map<String, String> settings = manifests.only(ConfigMap.class).getData();
            apiName = Objects.requireNonNull(settings.get("api-server-host"));
            tls = Tls.of(apiName, folder);
            api = new ContainerApiServer(
                    Integer.parseInt(Objects.requireNonNull(settings.get("api-server-port"))), tls, rules);
            closing.add(api);
            for (int i = 0; i < 2; i++) {
                String prefix = "172.31." + i;
                boolean dualStack = isDualStack(i);
                Network network = Network.builder()
                        .enableIpv6(dualStack)
                        .createNetworkCmdModifier(create -> create.withIpam(new Ipam()
                                .withConfig(Stream.of(
                                                new Ipam.Config()
                                                        .withSubnet(prefix + ".0/24")
                                                        .withGateway(prefix + ".1"),
                                                new Ipam.Config()
                                                        .withSubnet("fd00:172:31::/64")
                                                        .withGateway("fd00:172:31::1"))
                                        .limit(dualStack ? 2 : 1)
                                        .toArray(Ipam.Config[]::new))))
                        .build();
                networks.add(network);
                closing.add(network);
            }
        } catch (Exception | AssertionError e) {
            closing.closeAfter(e);
            throw e;
        }
    }

    /** The Service's address of a family. */
    static IpAddress clusterIp(IpFamily family) {
        return IpAddress.parse(family == IpFamily.IPV4 ? "10.96.0.10" : "fd00:10:96::10");
    }

    /** Adds a machine on one of the networks, which is a Node of the cluster. Its agent is not started. */
    DockerNode addNode(String name, int network, int podNetwork) throws Exception {
        DockerNode node = new DockerNode(
                name,
                folder.resolve(name),
                networks.get(network),
                isDualStack(network),
                agent,
                apiName + ":172.31." + network + ".1",
                tls);
        nodes.put(name, node);
        String ipv4 = "10.244." + podNetwork + ".0/24";
        String podCidrs = list(
                isDualStack(network) ? Stream.of(ipv4, "fd00:10:244:" + podNetwork + "::/64") : Stream.of(ipv4),
                "\"%s\"");
        api.put(Resources.NODES, """
                {"metadata":{"name":"%s"},"spec":{"podCIDR":"%s","podCIDRs":[%s]},"status":{"addresses":[%s]}}""".formatted(name, ipv4, podCidrs, list(node.addresses().stream(), """
                        {"type":"InternalIP","address":"%s"}""")));
        return node;
    }

    /** Removes a node and its pods. */
    void removeNode(DockerNode node) throws Exception {
        pods.values().removeIf(pod -> pod.node() == node);
        publish();
        api.deleteNode(node.name());
        nodes.remove(node.name());
        node.close();
    }

    /** Adds a pod that serves, as an endpoint of the Service. */
    Pod addPod(DockerNode node, String name) throws Exception {
        Pod pod = node.addPod(name);
        pods.put(name, pod);
        publish();
        return pod;
    }

    /** Removes a pod that serves. */
    void removePod(Pod pod) throws Exception {
        pods.remove(pod.name());
        publish();
        pod.node().removePod(pod);
    }

    /** Puts a pod's object, and a NetworkPolicy for it with these rules for what comes to it. */
    void putPolicy(Pod pod, String ingress) throws IOException {
        String addresses =
                list(Stream.of(IpFamily.values()).flatMap(family -> pod.address(family).stream()), "{\"ip\":\"%s\"}");
        api.put(Resources.PODS, """
                {"metadata":{"namespace":"default","name":"%1$s","labels":{"name":"%1$s"}},"spec":{"nodeName":"%2$s"},
                "status":{"phase":"Running","podIP":"%3$s",
                "podIPs":[%4$s]}}""".formatted(pod.name(), pod.node().name(), pod.address(), addresses));
        api.put(Resources.NETWORK_POLICIES, """
                {"metadata":{"namespace":"default","name":"%1$s"},
                "spec":{"podSelector":{"matchLabels":{"name":"%1$s"}},"policyTypes":["Ingress"],
                "ingress":%2$s}}""".formatted(pod.name(), ingress));
    }

    /** Adds a pod that is no endpoint of the Service. */
    Pod addClient(DockerNode node, String name) throws Exception {
        return node.addPod(name);
    }

    List<DockerNode> nodes() {
        return List.copyOf(nodes.values());
    }

    DockerNode node(String name) {
        return Objects.requireNonNull(nodes.get(name), name);
    }

    List<Pod> pods() {
        return List.copyOf(pods.values());
    }

    /** The pods with an address of this family. */
    List<Pod> pods(IpFamily family) {
        return pods.values().stream()
                .filter(pod -> pod.address(family).isPresent())
                .toList();
    }

    ContainerApiServer api() {
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
    public void close() {
        nodes.values().forEach(closing::add);
        closing.close();
    }

    private static boolean isDualStack(int network) {
        return network == 0;
    }

    private void publish() throws IOException {
        api.put(Resources.SERVICES, """
                {"metadata":{"namespace":"default","name":"web"},"spec":{"clusterIP":"%1$s","clusterIPs":["%1$s","%2$s"],
                "type":"NodePort","ipFamilies":["IPv4","IPv6"],"ipFamilyPolicy":"PreferDualStack","ports":[
                {"name":"tcp","port":%3$d,"nodePort":%4$d,"protocol":"TCP"},{"name":"udp","port":%3$d,"nodePort":%4$d,"protocol":"UDP"}
                ]}}""".formatted(clusterIp(IpFamily.IPV4), clusterIp(IpFamily.IPV6), PORT, NODE_PORT));
        for (IpFamily family : IpFamily.values()) {
            publish(family);
        }
    }

    private void publish(IpFamily family) throws IOException {
        String endpoints = pods.values().stream()
                .filter(pod -> pod.address(family).isPresent())
                .map(pod -> """
                        {"addresses":["%s"],"nodeName":"%s","conditions":{"ready":true}}""".formatted(pod.address(family).get(), pod.node().name()))
                .collect(Collectors.joining(","));
        api.put(Resources.ENDPOINT_SLICES, """
                {"metadata":{"namespace":"default","name":"web-%4$s","labels":{"kubernetes.io/service-name":"web"}},
                "addressType":"%1$s","endpoints":[%2$s],
                "ports":[{"name":"tcp","port":%3$d,"protocol":"TCP"},{"name":"udp","port":%3$d,"protocol":"UDP"}]}""".formatted(
                        family, endpoints, Pod.PORT, family.toString().toLowerCase(Locale.ROOT)));
    }

    private static String list(Stream<?> values, String form) {
        return values.map(form::formatted).collect(Collectors.joining(","));
    }
}
