package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.model.AccessMode;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.ContainerNetwork;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PropagationMode;
import com.github.dockerjava.api.model.SELContext;
import com.github.dockerjava.api.model.Volume;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.ExecConfig;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.startupcheck.OneShotStartupCheckStrategy;

/**
 * A node: a container for the machine, without Java, and a container for the agent, which shares the machine's network
 * and some of its folders. Pods are network namespaces of the node, and the node's own plugin wires them.
 */
final class DockerNode implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final String name;
    private final Path folder;
    private final AgentContainer manifest;
    private final GenericContainer<?> machine;
    private final List<Pod> pods = new ArrayList<>();
    private @Nullable GenericContainer<?> agent;
    private AgentStart start;

    /**
     * Starts the machine.
     *
     * @param folder on a shared mount, like a machine's file systems
     * @param dualStack whether it also has IPv6, which docker otherwise switches off
     * @param apiServer the name and address of the API server, in the form NAME:ADDRESS
     */
    DockerNode(
            String name,
            Path folder,
            Network network,
            boolean dualStack,
            AgentContainer manifest,
            String apiServer,
            Tls tls)
            throws IOException {
        this.name = name;
        this.folder = folder;
        this.manifest = manifest;
        this.start = manifest.start();
        for (String own : List.of("run/netns", "opt", "etc/cni", "account")) {
            Files.createDirectories(folder.resolve(own));
        }
        Files.writeString(folder.resolve("account/token"), ContainerApiServer.TOKEN);
        Files.writeString(folder.resolve("account/ca.crt"), tls.certificate());
        Files.writeString(folder.resolve("account/namespace"), "kube-system");
        machine = new GenericContainer<>(Image.NAME)
                .withNetwork(network)
                .withExtraHost(apiServer.split(":", 2)[0], apiServer.split(":", 2)[1])
                .withTmpFs(Map.of("/usr/lib/nodepath", "size=1m"))
                .withCreateContainerCmdModifier(create -> {
                    create.withEntrypoint("sh", "-c", "mount -o remount,rw /proc/sys && exec sleep infinity");
                    HostConfig host = Objects.requireNonNull(create.getHostConfig());
                    if (dualStack) {
                        host.withSysctls(Map.of("net.ipv6.conf.all.disable_ipv6", "0"));
                    }
                    host.withCapAdd(Capability.NET_ADMIN, Capability.SYS_ADMIN)
                            .withBinds(own("run"), own("opt"), own("etc/cni"));
                });
        try {
            machine.start();
        } catch (RuntimeException e) {
            machine.stop(); // no other object knows it
            throw e;
        }
    }

    String name() {
        return name;
    }

    /** Its addresses, IPv4 first. */
    List<IpAddress> addresses() {
        ContainerNetwork network = machine.getContainerInfo()
                .getNetworkSettings()
                .getNetworks()
                .values()
                .iterator()
                .next();
        return Stream.of(network.getIpAddress(), network.getGlobalIPv6Address())
                .filter(text -> text != null && !text.isEmpty())
                .map(IpAddress::parse)
                .toList();
    }

    Optional<IpAddress> address(IpFamily family) {
        return addresses().stream()
                .filter(address -> address.family() == family)
                .findFirst();
    }

    /** Changes the start of later agents. */
    DockerNode with(UnaryOperator<AgentStart> change) {
        start = change.apply(start);
        return this;
    }

    /** Starts an agent without waiting. */
    DockerNode startAgent() throws Exception {
        agent = manifest.on(start, name, machine, folder, root());
        agent.start();
        return this;
    }

    /** Runs the container of another manifest to its end, which must be a success. */
    void run(AgentContainer other) throws Exception {
        try (GenericContainer<?> once = other.on(other.start(), name, machine, folder, root())) {
            once.withStartupCheckStrategy(new OneShotStartupCheckStrategy()).start();
        }
    }

    /** The machine's file system; the client library does not know this field. */
    private Path root() throws Exception {
        return Path.of(HostProgram.output(
                        "docker", "inspect", "--format", "{{.GraphDriver.Data.MergedDir}}", machine.getContainerId())
                .strip());
    }

    /** Waits until a runtime finds the pods' network and every part of the agent is up. */
    void awaitReady() throws Exception {
        await("conflist", () -> Files.isDirectory(confDir()) && !conflists().isEmpty());
        await("ready", () -> inMachine("perl", "-e", """
                use IO::Socket::INET; my $s = IO::Socket::INET->new("127.0.0.1:10256") or exit 1;
                print $s "GET /readyz HTTP/1.0\\r\\n\\r\\n"; exit(<$s> =~ / 200 / ? 0 : 1)""").getExitCode() == 0);
    }

    /** Kills the agent, as the kernel does when memory is short. */
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

    /** The agent's log. */
    String log() {
        return agent == null ? "" : agent.getLogs();
    }

    /** Wires a pod through the plugin on the node, as its container runtime would. */
    Pod addPod(String podName) throws Exception {
        Path namespace = addNamespace(podName);
        String result = cni("ADD", podName);
        Pod pod = new Pod(this, podName, namespace, Cni.addresses(result));
        pods.add(pod);
        return pod;
    }

    /** A network namespace for a pod. */
    Path addNamespace(String podName) throws Exception {
        Path namespace = namespace(podName);
        Files.createFile(namespace);
        HostProgram.output("unshare", "--net=" + namespace, "ip", "link", "set", "lo", "up");
        return namespace;
    }

    void removePod(Pod pod) throws Exception {
        pod.close();
        cni("DEL", pod.name());
        Path namespace = namespace(pod.name());
        HostProgram.output("umount", "--lazy", namespace.toString());
        Files.delete(namespace);
        pods.remove(pod);
    }

    /** Calls the node's plugin, which must succeed. */
    String cni(String command, String podName) throws Exception {
        ExecResult result = tryCni(command, podName);
        assertThat(result.getExitCode())
                .as("%s %s: %s; log: %s", command, podName, result, log())
                .isZero();
        return result.getStdout();
    }

    /** Calls the node's plugin. */
    ExecResult tryCni(String command, String podName) throws Exception {
        Files.writeString(
                folder.resolve("run/call.json"),
                Cni.plugin(Files.readString(conflists().get(0))));
        return machine.execInContainer(ExecConfig.builder()
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
    }

    /** Runs a program on the machine. */
    ExecResult inMachine(String... command) throws IOException, InterruptedException {
        return machine.execInContainer(command);
    }

    /** Runs a program of this computer in the machine's network. */
    String inNetwork(String... command) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(
                "nsenter",
                "--net=/proc/" + machine.getContainerInfo().getState().getPidLong() + "/ns/net"));
        words.addAll(List.of(command));
        return HostProgram.output(words.toArray(String[]::new));
    }

    /**
     * Makes connection tracking forget the packets to a deleted pod. Otherwise the kernel sends a new connection there
     * too if it has the same client port within two minutes: no proxy can change that.
     */
    void forgetConnectionsTo(IpAddress pod) throws IOException, InterruptedException {
        inNetwork("sh", "-c", "conntrack -D --reply-src " + pod + " 2>/dev/null || :"); // it fails if there is none
    }

    /** Runs a program in the agent's container. */
    ExecResult inAgent(String... command) throws IOException, InterruptedException {
        return agent().execInContainer(command);
    }

    Path opt() {
        return folder.resolve("opt");
    }

    /** The files in a folder of the machine. */
    List<String> files(String path) throws IOException {
        try (var files = Files.list(folder.resolve(path))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    void await(String what, Callable<Boolean> condition) {
        Eventually.isTrue(LIMIT, () -> name + ": " + what + "; log: " + log(), condition);
    }

    @Override
    public void close() {
        OpenedResources closing = new OpenedResources();
        closing.add(machine);
        closing.add(this::removeAgent);
        pods.forEach(closing::add);
        closing.close();
    }

    /** Kills the agent, if it runs, and removes it. */
    void removeAgent() {
        if (agent != null) {
            agent.stop();
            agent = null;
        }
    }

    private GenericContainer<?> agent() {
        return Objects.requireNonNull(agent, name);
    }

    private Path namespace(String podName) {
        return folder.resolve("run/netns").resolve(podName);
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
