package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.model.AccessMode;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PropagationMode;
import com.github.dockerjava.api.model.SELContext;
import com.github.dockerjava.api.model.Volume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.ExecConfig;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;

/**
 * A node: a container that stands for the machine, which has no Java, and one with the agent, which shares its network and some of
 * its folders. Pods are network namespaces of the node that the node's own plugin wires.
 */
final class DockerNode implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final String name;
    private final Path folder;
    private final AgentContainer manifest;
    private final GenericContainer<?> machine;
    private final List<Pod> pods = new ArrayList<>();
    private @Nullable GenericContainer<?> agent;
    private String image = Image.NAME;
    private String mode = "iptables";

    /**
     * Starts the machine.
     *
     * @param folder on a shared mount, as a machine's file systems are
     * @param apiServer the name and address of the API server, in the form NAME:ADDRESS
     */
    DockerNode(String name, Path folder, Network network, AgentContainer manifest, String apiServer, Tls tls)
            throws IOException {
        this.name = name;
        this.folder = folder;
        this.manifest = manifest;
        for (String own : List.of("run/netns", "opt", "etc/cni", "account")) {
            Files.createDirectories(folder.resolve(own));
        }
        Files.writeString(folder.resolve("account/token"), ApiServer.TOKEN);
        Files.writeString(folder.resolve("account/ca.crt"), tls.certificate());
        Files.writeString(folder.resolve("account/namespace"), "kube-system");
        machine = new GenericContainer<>(Image.NAME)
                .withNetwork(network)
                .withExtraHost(apiServer.split(":", 2)[0], apiServer.split(":", 2)[1])
                .withTmpFs(Map.of("/usr/lib/nodepath", "size=1m"))
                .withCreateContainerCmdModifier(create -> {
                    create.withEntrypoint("sh", "-c", "mount -o remount,rw /proc/sys && exec sleep infinity");
                    HostConfig host = Objects.requireNonNull(create.getHostConfig());
                    host.withCapAdd(Capability.NET_ADMIN, Capability.SYS_ADMIN)
                            .withBinds(own("run"), own("opt"), own("etc/cni"));
                });
        machine.start();
    }

    String name() {
        return name;
    }

    /** The address of the node. */
    String address() {
        return machine.getContainerInfo()
                .getNetworkSettings()
                .getNetworks()
                .values()
                .iterator()
                .next()
                .getIpAddress();
    }

    /** Chooses what the next agent is started with. */
    DockerNode with(String image, String mode) {
        this.image = image;
        this.mode = mode;
        return this;
    }

    /** Starts an agent and does not wait for anything. */
    DockerNode startAgent() throws Exception {
        startAgent(manifest.capabilities());
        return this;
    }

    void startAgent(List<String> capabilities) throws Exception {
        // The client library does not know this field.
        Path root = Path.of(Program.output(
                        "docker", "inspect", "--format", "{{.GraphDriver.Data.MergedDir}}", machine.getContainerId())
                .strip());
        UnaryOperator<String> configured = text -> text.replaceAll("(?m)^mode: .*$", "mode: " + mode);
        agent = manifest.on(image, name, machine, folder, root, capabilities, configured);
        agent.start();
    }

    /** Waits until a runtime finds the pods' network and every part of the agent is up. */
    void awaitReady() throws Exception {
        await("conflist", () -> Files.isDirectory(confDir()) && !conflists().isEmpty());
        await("ready", () -> inMachine("perl", "-e", """
                use IO::Socket::INET; my $s = IO::Socket::INET->new("127.0.0.1:10256") or exit 1;
                print $s "GET /readyz HTTP/1.0\\r\\n\\r\\n"; exit(<$s> =~ / 200 / ? 0 : 1)""").getExitCode() == 0);
    }

    /** Kills the agent as a machine without memory would. */
    void killAgent() {
        String id = agent().getContainerId();
        agent().getDockerClient().killContainerCmd(id).withSignal("KILL").exec();
        removeAgent();
    }

    /** Ends the agent as a kubelet does. */
    void stopAgent() {
        agent().getDockerClient()
                .stopContainerCmd(agent().getContainerId())
                .withTimeout(30)
                .exec();
        removeAgent();
    }

    /** What the agent has logged. */
    String log() {
        return agent == null ? "" : agent.getLogs();
    }

    /** Wires a pod through the plugin that is installed on the node, as its container runtime would. */
    Pod addPod(String podName) throws Exception {
        Path namespace = folder.resolve("run/netns").resolve(podName);
        Files.createFile(namespace);
        Program.output("unshare", "--net=" + namespace, "ip", "link", "set", "lo", "up");
        String result = cni("ADD", podName);
        Pod pod = new Pod(this, podName, namespace, Cni.addresses(result));
        pods.add(pod);
        return pod;
    }

    void removePod(Pod pod) throws Exception {
        pod.close();
        cni("DEL", pod.name());
        pods.remove(pod);
    }

    /** Calls the node's plugin. */
    String cni(String command, String podName) throws Exception {
        Files.writeString(
                folder.resolve("run/call.json"),
                Cni.plugin(Files.readString(conflists().get(0))));
        ExecResult result = machine.execInContainer(ExecConfig.builder()
                .command(new String[] {
                    "env",
                    "-i",
                    "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                    "CNI_COMMAND=" + command,
                    "CNI_CONTAINERID=" + podName,
                    "CNI_NETNS=/run/netns/" + podName,
                    "CNI_IFNAME=eth0",
                    "CNI_PATH=/opt/cni/bin",
                    "sh",
                    "-c",
                    "exec /opt/cni/bin/nodepath-bridge </run/call.json"
                })
                .build());
        assertThat(result.getExitCode())
                .as("%s %s: %s; log: %s", command, podName, result, log())
                .isZero();
        return result.getStdout();
    }

    /** Runs a program on the machine. */
    ExecResult inMachine(String... command) throws IOException, InterruptedException {
        return machine.execInContainer(command);
    }

    /** Runs a program where the agent is. */
    ExecResult inAgent(String... command) throws IOException, InterruptedException {
        return agent().execInContainer(command);
    }

    Path opt() {
        return folder.resolve("opt");
    }

    void await(String what, Condition condition) throws Exception {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime())
                    .as("%s: %s; log: %s", name, what, log())
                    .isLessThan(deadline);
            java.util.concurrent.locks.LockSupport.parkNanos(50_000_000);
        }
    }

    /** What may come true. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws Exception;
    }

    @Override
    public void close() {
        pods.forEach(Pod::close);
        removeAgent();
        machine.stop();
    }

    private void removeAgent() {
        if (agent != null) {
            agent.stop();
            agent = null;
        }
    }

    private GenericContainer<?> agent() {
        return Objects.requireNonNull(agent, name);
    }

    private Path confDir() {
        return folder.resolve("etc/cni/net.d");
    }

    private List<Path> conflists() throws IOException {
        try (var files = Files.list(confDir())) {
            return files.filter(file -> file.toString().endsWith(".conflist"))
                    .sorted()
                    .toList();
        }
    }

    private Bind own(String path) {
        return new Bind(
                folder.resolve(path).toString(),
                new Volume("/" + path),
                AccessMode.rw,
                SELContext.DEFAULT,
                null,
                PropagationMode.RSHARED);
    }
}
