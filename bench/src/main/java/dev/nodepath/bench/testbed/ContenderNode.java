package dev.nodepath.bench.testbed;

import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A node of its own for one contender, with a client pod and a server pod on one bridge, wired as the CNI plugin does
 * it. So all contenders run at the same time and take turns, and none sees another's rules or tracked connections.
 */
public final class ContenderNode implements AutoCloseable {
    /** The Node object's name on every lane. */
    public static final String NODE_NAME = "n1";
    /** The node's address on the bridge. */
    public static final String NODE = "10.244.0.1";
    /** The client pod's address. */
    public static final String CLIENT = "10.244.0.2";
    /** The server pod's first address. */
    public static final String SERVER = "10.244.0.3";
    /** The server pod's second address, which serves as another endpoint. */
    public static final String SECOND_SERVER = "10.244.0.4";

    /** The port of the HTTP servers. */
    public static final int HTTP = 8080;
    /** The port of the iperf3 servers. */
    public static final int BULK = 5201;
    /** The port of the servers that echo UDP. */
    public static final int ECHO = 7007;

    private static final String CONGESTION_CONTROL = "net/ipv4/tcp_congestion_control";
    private static final Duration SETUP_MAX = Duration.ofSeconds(20);
    private static final long END_SECONDS_MAX = 10;

    /**
     * Bridged packets must pass iptables, so that answers between two pods of one bridge are translated back. Without a
     * random offset of TCP timestamps a server accepts a recently used client port again.
     */
    private static final String SETUP = """
            node="node-$1"; client="client-$1"; server="server-$1"
            for name in "$node" "$client" "$server"; do
              ip netns add "$name"
              ip -n "$name" link set lo up
              nsenter --net="/run/netns/$name" sysctl -qw net.ipv4.tcp_timestamps=2 net.ipv4.ip_local_port_range="10240 60999"
            done
            nsenter --net="/run/netns/$node" sysctl -qw net.ipv4.ip_forward=1 \\
              net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.default.send_redirects=0
            ip -n "$node" link add cni0 type bridge nf_call_iptables 1
            ip -n "$node" addr add 10.244.0.1/24 dev cni0
            ip -n "$node" link set cni0 up
            for pod in "$client:2" "$server:3"; do
              name=${pod%:*}
              ip -n "$node" link add "veth${pod#*:}" type veth peer name eth0 netns "$name"
              ip -n "$node" link set "veth${pod#*:}" master cni0 up
              ip -n "$name" addr add "10.244.0.${pod#*:}/24" dev eth0
              ip -n "$name" link set eth0 up
              ip -n "$name" route add default via 10.244.0.1
            done
            ip -n "$server" addr add 10.244.0.4/24 dev eth0
            """;

    /** Names the answering server in the format of the emulator's pods. */
    private static final String NGINX = """
            worker_processes 2;
            daemon off;
            pid %1$s/nginx-server.pid;
            error_log %1$s/nginx-server.log;
            events { worker_connections 10500; }
            http {
              access_log off;
              keepalive_requests 1000000000;
              keepalive_timeout 600;
              client_header_timeout 600;
              server {
                listen 10.244.0.3:8080 backlog=4096;
                listen 10.244.0.4:8080 backlog=4096;
                default_type application/json;
                location / { return 200 '{"pod":"$server_addr","source":"$remote_addr"}\\n'; }
              }
            }
            """;

    private final LinuxNet net;
    private final String name;
    private final Path folder;
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Process> processes = new ArrayList<>();
    private final NetworkNamespace node;
    private final NetworkNamespace client;

    /**
     * Makes the namespaces and starts the servers.
     *
     * @param name for the namespaces, of at most 30 letters
     * @param folder for files of this lane
     * @throws IOException if a program is missing or something failed; the message names it
     */
    public ContenderNode(LinuxNet net, String name, Path folder) throws IOException, InterruptedException {
        this.net = net;
        this.name = name;
        this.folder = Files.createDirectories(folder);
        Command.output(List.of("sh", "-ec", SETUP, "lane", name), SETUP_MAX);
        node = net.openNamed("node-" + name);
        client = net.openNamed("client-" + name);
    }

    /** Starts nginx, iperf3 and an echo of datagrams in the server pod. */
    public void startServers() throws IOException {
        for (String program : List.of("nginx", "iperf3")) {
            if (!Command.exists(program)) {
                throw new IOException(program + ": not found (expected: Debian packages nginx-light and iperf3)");
            }
        }
        start(
                "server-" + name,
                List.of(
                        "nginx",
                        "-e",
                        folder + "/nginx-server.log",
                        "-c",
                        file("nginx-server.conf", NGINX.formatted(folder))),
                "nginx-server");
        start("server-" + name, List.of("iperf3", "-s"), "iperf3-server");
        try (NetworkNamespace server = openServer()) {
            open.add(new UdpEcho(server, new InetSocketAddress(InetAddress.getByName(SERVER), ECHO)));
        }
    }

    /**
     * Sets the congestion control of connections that begin from now on, on the node and in both pods. New namespaces
     * have the machine's default.
     *
     * @param name such as {@code reno}
     * @throws IOException if the kernel does not have it, or does not allow it here
     */
    public void useCongestionControl(String name) throws IOException {
        try (NetworkNamespace server = openServer()) {
            for (NetworkNamespace each : List.of(node, client, server)) {
                each.setSysctl(CONGESTION_CONTROL, name);
            }
        }
    }

    /** The congestion control of new connections, such as {@code bbr}. */
    public String congestionControl() throws IOException {
        return node.sysctl(CONGESTION_CONTROL);
    }

    /** The namespace of the node itself. */
    public NetworkNamespace node() {
        return node;
    }

    /** The namespace of the client pod. */
    public NetworkNamespace client() {
        return client;
    }

    /** Opens the namespace of the server pod; the caller closes it. */
    public NetworkNamespace openServer() throws IOException {
        return net.openNamed("server-" + name);
    }

    /** The command line that runs a command in the client pod. */
    public List<String> inClient(List<String> command) {
        return inside("client-" + name, command);
    }

    /** The command line that runs a command on the node. */
    public List<String> onNode(List<String> command) {
        return inside("node-" + name, command);
    }

    /** Starts a command on the node, its output going to a log file; it ends with this lane. */
    public Process startOnNode(List<String> command, String logName) throws IOException {
        return start("node-" + name, command, logName);
    }

    /** Starts a command in the server pod, as {@link #startOnNode}. */
    public Process startInServer(List<String> command, String logName) throws IOException {
        return start("server-" + name, command, logName);
    }

    /**
     * Waits for a process that was started here and is about to end.
     *
     * @throws IOException if it does not end within 10 s
     */
    public void ended(Process process) throws IOException, InterruptedException {
        if (!process.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new IOException(
                    "a process does not end: " + process.info().commandLine().orElse(""));
        }
        processes.remove(process);
    }

    /** Kills a process that was started here and all its descendants: a worker that stayed would go on listening. */
    public void end(Process process) throws IOException {
        List<ProcessHandle> workers = process.descendants().toList();
        try {
            ended(process.destroyForcibly());
            for (ProcessHandle worker : workers) {
                worker.destroyForcibly();
                awaitEnd(worker);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A zombie counts as ended, because its parent may be slow to collect it. */
    private static void awaitEnd(ProcessHandle worker) throws IOException, InterruptedException {
        long start = System.nanoTime();
        while (worker.isAlive() && !ProcessUsage.isZombie(worker.pid())) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(END_SECONDS_MAX)) {
                throw new IOException("a worker does not end: " + worker.pid());
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    /** Writes a file of this lane and returns its path. */
    public String file(String fileName, String content) throws IOException {
        return Files.writeString(folder.resolve(fileName), content).toString();
    }

    /** The last lines that a process of this lane has written. */
    public String log(String logName) throws IOException {
        Path file = folder.resolve(logName + ".log");
        List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
        return String.join(" | ", lines.subList(Math.max(0, lines.size() - 5), lines.size()));
    }

    @Override
    public String toString() {
        return name;
    }

    /** Ends the processes and removes the namespaces. */
    @Override
    public void close() throws IOException {
        for (Process process : processes) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        try {
            for (Process process : processes) {
                process.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS);
            }
            for (AutoCloseable each : open) {
                each.close();
            }
        } catch (IOException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new IOException(e);
        }
        node.close();
        client.close();
        for (String pod : List.of("client-", "server-", "node-")) {
            net.delete(pod + name);
        }
    }

    private Process start(String namespace, List<String> command, String logName) throws IOException {
        Process process = new ProcessBuilder(inside(namespace, command))
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(folder.resolve(logName + ".log").toFile())
                .start();
        processes.add(process);
        return process;
    }

    private static List<String> inside(String namespace, List<String> command) {
        List<String> inside = new ArrayList<>(List.of("nsenter", "--net=/run/netns/" + namespace, "--"));
        inside.addAll(command);
        return inside;
    }
}
