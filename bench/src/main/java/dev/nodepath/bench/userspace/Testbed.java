package dev.nodepath.bench.userspace;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A client and a server, each in a namespace on one bridge, and between them the relay and HAProxy on the node. */
final class Testbed implements AutoCloseable {
    private static final String SETUP = """
            sysctl -qw net.ipv4.ip_forward=1
            ip link add cni0 type bridge
            ip addr add 10.244.0.1/24 dev cni0
            ip link set cni0 up
            for pod in client:2 server:3; do
              name=${pod%:*}
              ip netns add "$name"
              ip link add "veth-$name" type veth peer name eth0 netns "$name"
              ip link set "veth-$name" master cni0 up
              ip -n "$name" link set lo up
              ip -n "$name" addr add "10.244.0.${pod#*:}/24" dev eth0
              ip -n "$name" link set eth0 up
              ip -n "$name" route add default via 10.244.0.1
            done
            """;

    private static final String NGINX = """
            worker_processes 2;
            daemon off;
            pid /run/nginx-bench.pid;
            error_log /dev/null;
            events { worker_connections 9900; }
            http {
              access_log off;
              keepalive_requests 100000000;
              keepalive_timeout 600;
              client_header_timeout 600;
              server { listen 10.244.0.3:8080 backlog=4096; location / { return 200 "a body of sixty-four bytes, as small as answers of services go.\\n"; } }
            }
            """;

    private static final String HAPROXY = """
            global
              nbthread 2
              maxconn 9000
            defaults
              mode tcp
              timeout client 60s
              timeout server 60s
              timeout connect 5s
            listen web
              bind 10.244.0.1:9080
              server s 10.244.0.3:8080
            listen bulk
              bind 10.244.0.1:9201
              server s 10.244.0.3:5201
            """;

    private static final String MANIFEST = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: default}
            spec:
              clusterIP: 10.96.0.10
              ports:
              - {name: http, port: 80, targetPort: 8080, protocol: TCP}
              - {name: bulk, port: 5201, targetPort: 5201, protocol: TCP}
              - {name: echo, port: 7, targetPort: 7007, protocol: UDP}
            ---
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: web-1, namespace: default, labels: {kubernetes.io/service-name: web}}
            addressType: IPv4
            ports:
            - {name: http, port: 8080, protocol: TCP}
            - {name: bulk, port: 5201, protocol: TCP}
            - {name: echo, port: 7007, protocol: UDP}
            endpoints:
            - {addresses: [10.244.0.3], conditions: {ready: true}}
            """;

    private static final Pattern RECEIVED =
            Pattern.compile("\"sum_received\":\\s*\\{.*?\"bits_per_second\":\\s*([\\d.e+]+)", Pattern.DOTALL);
    private static final Pattern RSS = Pattern.compile("VmRSS:\\s+(\\d+) kB");
    private static final double TICKS_PER_SECOND = 100;

    private final Path home;
    private final List<Process> processes = new ArrayList<>();
    private final Process relay;
    private final Process haproxy;

    /** A way from the client to the server. */
    enum Peer {
        DIRECT("10.244.0.3", 8080, 5201, 7007),
        RELAY("10.96.0.10", 80, 5201, 7),
        HAPROXY("10.244.0.1", 9080, 9201, 0);

        private final String address;
        private final int http;
        private final int bulk;
        private final int udp;

        Peer(String address, int http, int bulk, int udp) {
            this.address = address;
            this.http = http;
            this.bulk = bulk;
            this.udp = udp;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Makes everything, and waits until the relay serves. */
    Testbed(Path home, List<String> proxyOptions) throws IOException, InterruptedException {
        this.home = home;
        output(List.of("sh", "-ec", SETUP));
        Path files = Files.createTempDirectory(Path.of("/run"), "bench");
        start(in("server", "nginx", "-c", file(files, "nginx.conf", NGINX)));
        start(in("server", "iperf3", "-s"));
        start(in("server", java(UdpLoad.class, "echo", "10.244.0.3", "7007")));
        haproxy = start(List.of("haproxy", "-f", file(files, "haproxy.cfg", HAPROXY)));
        List<String> proxy = new ArrayList<>(List.of(
                home.resolve("scripts/nodepath").toString(),
                "proxy",
                "--mode",
                "userspace",
                "--hostname-override",
                "n1",
                "--manifests",
                file(files, "web.yaml", MANIFEST)));
        proxy.addAll(proxyOptions);
        relay = start(proxy);
        output(in(
                "client",
                "sh",
                "-c",
                "for i in $(seq 300); do curl -so /dev/null 10.96.0.10 && exit; sleep 0.1; done; exit 1"));
    }

    private static String file(Path folder, String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content).toString();
    }

    private String[] java(Class<?> main, String... args) {
        List<String> command = new ArrayList<>(
                List.of("java", "-XX:+UseSerialGC", "-cp", home.resolve("target/lib") + "/*", main.getName()));
        command.addAll(List.of(args));
        return command.toArray(new String[0]);
    }

    private static List<String> in(String namespace, String... command) {
        List<String> whole = new ArrayList<>(List.of("nsenter", "--net=/run/netns/" + namespace));
        whole.addAll(List.of(command));
        return whole;
    }

    private Process start(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        processes.add(process);
        return process;
    }

    private static String output(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(command + ": " + output);
        }
        return output;
    }

    HttpFigures http(Peer peer, int seconds, List<String> options) throws IOException, InterruptedException {
        List<String> command = in("client", "wrk", "-t1", "-c32", "-d" + seconds + "s", "--latency");
        command.addAll(options);
        command.add("http://" + peer.address + ":" + peer.http + "/");
        return HttpFigures.parse(output(command));
    }

    double bulkGbits(Peer peer, int seconds) throws IOException, InterruptedException {
        String json =
                output(in("client", "iperf3", "-J", "-c", peer.address, "-p", "" + peer.bulk, "-t", "" + seconds));
        Matcher received = RECEIVED.matcher(json);
        if (!received.find()) {
            throw new IOException("iperf3: " + json);
        }
        return Double.parseDouble(received.group(1)) / 1e9;
    }

    double udpEchoesPerSecond(Peer peer, int seconds) throws IOException, InterruptedException {
        return Double.parseDouble(
                output(in("client", java(UdpLoad.class, "ask", peer.address, "" + peer.udp, "" + seconds)))
                        .strip());
    }

    /** The CPU time that a peer has used; 0 for the direct way. */
    double cpuSeconds(Peer peer) throws IOException {
        Process process = switch (peer) {
            case DIRECT -> null;
            case RELAY -> relay;
            case HAPROXY -> haproxy;
        };
        if (process == null) {
            return 0;
        }
        String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }

    /** What the relay's process grows by for each of so many connections that are open and idle. */
    double idleConnectionKilobytes(int connections) throws IOException, InterruptedException {
        long before = relayRssKilobytes();
        Process idle = new ProcessBuilder(in("client", java(IdleLoad.class, "10.96.0.10", "80", "" + connections)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        processes.add(idle);
        BufferedReader output =
                new BufferedReader(new InputStreamReader(idle.getInputStream(), StandardCharsets.UTF_8));
        if (!"open".equals(output.readLine())) {
            throw new IOException("connections could not be opened");
        }
        TimeUnit.SECONDS.sleep(2);
        return (double) (relayRssKilobytes() - before) / connections;
    }

    private long relayRssKilobytes() throws IOException {
        Matcher rss = RSS.matcher(Files.readString(Path.of("/proc/" + relay.pid() + "/status")));
        if (!rss.find()) {
            throw new IOException("no VmRSS of the relay");
        }
        return Long.parseLong(rss.group(1));
    }

    /** Ends the processes; the namespaces end with the enclosure. */
    @Override
    public void close() {
        processes.forEach(Process::destroy);
    }
}
