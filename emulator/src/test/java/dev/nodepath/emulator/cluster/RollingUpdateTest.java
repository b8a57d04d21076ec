package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.emulator.enclosure.BuiltJava;
import dev.nodepath.endpoints.source.ManifestObject;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.route.Route;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pods are replaced all the time under load from outside, through node ports and load balancer addresses, with {@code
 * externalTrafficPolicy: Local}: each is ready, then terminating while it serves, then gone. No connection may fail.
 */
@Tag("netns")
@Tag("timing")
class RollingUpdateTest {
    private static final int ROUNDS = Repetitions.of(1, 4);

    /** A file system of the enclosure's own, which the tests run in. */
    private static final Path RUN = Path.of("/run/nodepath");

    /** The load balancer's address that leads to each node. */
    private static final Map<String, IpAddress> LOAD_BALANCER =
            new TreeMap<>(Map.of("n1", IpAddress.parse("172.31.0.1"), "n2", IpAddress.parse("172.31.0.2")));

    private static final int NODE_PORT = 30080;
    private static final int HEALTH_PORT = 30081;

    private static final String MANIFESTS = """
            apiVersion: v1
            kind: Node
            metadata: {name: n1}
            spec: {podCIDR: 10.244.1.0/24}
            status: {addresses: [{type: InternalIP, address: 172.30.0.11}]}
            ---
            apiVersion: v1
            kind: Node
            metadata: {name: n2}
            spec: {podCIDR: 10.244.2.0/24}
            status: {addresses: [{type: InternalIP, address: 172.30.0.12}]}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: web-n1-0, labels: {app: web}}
            spec:
              nodeName: n1
              # Each is ended by the test: until then it serves.
              terminationGracePeriodSeconds: 600
              containers:
              - name: main
                image: nodepath/whoami
                lifecycle: {preStop: {sleep: {seconds: 600}}}
                ports: [{name: http, containerPort: 8080}]
                readinessProbe: {httpGet: {path: /readyz, port: 8080}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: web-n2-0, labels: {app: web}}
            spec:
              nodeName: n2
              # Each is ended by the test: until then it serves.
              terminationGracePeriodSeconds: 600
              containers:
              - name: main
                image: nodepath/whoami
                lifecycle: {preStop: {sleep: {seconds: 600}}}
                ports: [{name: http, containerPort: 8080}]
                readinessProbe: {httpGet: {path: /readyz, port: 8080}}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec:
              type: LoadBalancer
              externalTrafficPolicy: Local
              healthCheckNodePort: 30081
              clusterIP: 10.96.0.20
              selector: {app: web}
              ports: [{name: http, port: 80, targetPort: http, nodePort: 30080}]
            status: {loadBalancer: {ingress: [{ip: 172.31.0.1}, {ip: 172.31.0.2}]}}
            """;

    @TempDir
    private Path folder;

    /** One cluster carries one mode after the other. */
    @Test
    void noConnectionFailsWhilePodsAreReplaced() throws Exception {
        Path manifests = Files.writeString(folder.resolve("cluster.yaml"), MANIFESTS);
        try (Cluster cluster = Cluster.start(
                TopologyReader.read(manifests),
                new KernelLinuxNet(),
                BuiltJava.command(),
                RUN,
                Optional.of(ProxyMode.IPTABLES))) {
            cluster.awaitReady();
            for (Map.Entry<String, IpAddress> each : LOAD_BALANCER.entrySet()) {
                IpAddress node = cluster.nodeAddress(each.getKey());
                cluster.client().addRoute(new Route(new Cidr(each.getValue(), 32), Optional.of(node), 0));
            }
            cluster.awaitProgrammed(cluster.lastTrigger());
            replacePodsUnderLoad(cluster, ProxyMode.IPTABLES, 1);
            cluster.switchTo(ProxyMode.USERSPACE);
            cluster.awaitProgrammed(cluster.lastTrigger());
            replacePodsUnderLoad(cluster, ProxyMode.USERSPACE, 1 + ROUNDS);
        }
    }

    private static void replacePodsUnderLoad(Cluster cluster, ProxyMode mode, int firstRound) throws Exception {
        List<NodeLoad> loads = new ArrayList<>();
        try {
            for (Map.Entry<String, IpAddress> each : LOAD_BALANCER.entrySet()) {
                loads.add(startLoad(cluster, each.getKey(), each.getValue()));
            }
            for (NodeLoad load : loads) {
                load.awaitTaken(true);
            }
            for (int round = firstRound; round < firstRound + ROUNDS; round++) {
                for (NodeLoad load : loads) {
                    replaceBesideItsSuccessor(cluster, load, 2 * round - 1);
                    replaceTheOnlyOne(cluster, load, 2 * round);
                }
            }
        } finally {
            loads.forEach(NodeLoad::close);
        }
        for (NodeLoad load : loads) {
            System.out.println(mode + ", " + load);
            assertThat(load.failures()).as(load.toString()).isEmpty();
        }
    }

    /** A Deployment with a surge: the old pod is ended when the new one is ready, and gets nothing new from then on. */
    private static void replaceBesideItsSuccessor(Cluster cluster, NodeLoad load, int number) throws Exception {
        String old = name(load.node(), number - 1);
        start(cluster, load.node(), name(load.node(), number));
        load.awaitAnswerOf(name(load.node(), number));

        terminate(cluster, old);
        long programmed = System.nanoTime();
        load.awaitCalls();
        assertThat(load.lastAnswerOf(old))
                .as("%s has a ready pod beside it", old)
                .isLessThan(programmed);
        cluster.removePod(new ObjectKey("default", old));
    }

    /** One without: the pod that is being ended serves alone until the load balancer has left its node. */
    private static void replaceTheOnlyOne(Cluster cluster, NodeLoad load, int number) throws Exception {
        String old = name(load.node(), number - 1);
        terminate(cluster, old);
        load.awaitTaken(false);
        load.awaitCalls();
        cluster.removePod(new ObjectKey("default", old));

        start(cluster, load.node(), name(load.node(), number));
        load.awaitTaken(true);
        load.awaitAnswerOf(name(load.node(), number));
    }

    private static void start(Cluster cluster, String node, String pod) throws IOException, InterruptedException {
        ManifestObject like = cluster.topology().objects().get(0);
        ObjectNode added = like.json().deepCopy();
        added.withObjectProperty("metadata").put("name", pod).put("namespace", "default");
        added.withObjectProperty("spec").put("nodeName", node);
        cluster.api().create(Resources.PODS, added);
        cluster.awaitProgrammed(cluster.awaitReadiness(pod, true));
    }

    /** The pod's endpoints are terminating on every node. It serves until its grace is over or it is removed. */
    private static void terminate(Cluster cluster, String pod) throws IOException, InterruptedException {
        cluster.api().delete(Resources.PODS, new ObjectKey("default", pod), Deletion.DEFAULT);
        PublishedEndpoints published = new PublishedEndpoints(cluster.api());
        PodView view = cluster.pod(pod);
        Eventually.isTrue("terminating endpoint of " + pod, () -> published.show(view, false));
        cluster.awaitProgrammed(published.lastTrigger());
    }

    private static String name(String node, int number) {
        return "web-" + node + "-" + number;
    }

    private static NodeLoad startLoad(Cluster cluster, String node, IpAddress balanced) throws IOException {
        IpAddress address = cluster.nodeAddress(node);
        return NodeLoad.start(
                node,
                cluster.client(),
                new InetSocketAddress(address.toInetAddress(), HEALTH_PORT),
                List.of(
                        new InetSocketAddress(address.toInetAddress(), NODE_PORT),
                        new InetSocketAddress(balanced.toInetAddress(), 80)));
    }
}
