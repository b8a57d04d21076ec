package dev.nodepath.bench.testbed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A proxy between client and server, or the direct path. */
public enum Contender {
    /** No proxy: the baseline of all ratios. */
    DIRECT("direct"),
    /** Nodepath's relay. */
    USERSPACE("userspace"),
    /** Nodepath's rules for iptables. */
    IPTABLES("iptables"),
    /** Nodepath's nf_tables table. */
    NFTABLES("nftables"),
    /** Debian's HAProxy in TCP mode. */
    HAPROXY("haproxy"),
    /** Debian's HAProxy behind a DNAT rule for a Service's address, like Nodepath's relay. */
    HAPROXY_DNAT("haproxy-dnat"),
    /** Debian's nginx with its stream module. */
    NGINX("nginx"),
    /** The binary given with {@code --kube-proxy}, in iptables mode. */
    KUBE_PROXY("kube-proxy"),
    /** The same binary in nftables mode. */
    KUBE_PROXY_NFTABLES("kube-proxy-nftables"),
    /** The same binary in userspace mode, which Kubernetes had until 1.25. */
    KUBE_PROXY_USERSPACE("kube-proxy-userspace");

    /** The cluster IP of the Service that is measured. */
    static final String CLUSTER_IP = "10.96.0.10";

    private static final Path STREAM_MODULE = Path.of("/usr/lib/nginx/modules/ngx_stream_module.so");
    private static final List<ApiObject.Port> PORTS = List.of(
            new ApiObject.Port("http", "TCP", 80, ContenderNode.HTTP),
            new ApiObject.Port("bulk", "TCP", 5201, ContenderNode.BULK),
            new ApiObject.Port("echo", "UDP", 7, ContenderNode.ECHO));

    /** The most connections with two descriptors each below the limit of 20 000. */
    private static final String HAPROXY_CONFIG = """
            global
              nbthread 2
              maxconn 9940
            defaults
              mode tcp
              timeout client 600s
              timeout server 600s
              timeout connect 5s
            listen web
              bind 10.244.0.1:9080
              server s 10.244.0.3:8080
            listen bulk
              bind 10.244.0.1:9201
              server s 10.244.0.3:5201
            """;

    private static final List<String> DNAT = List.of(
            "iptables",
            "-w",
            "-t",
            "nat",
            "-A",
            "PREROUTING",
            "-d",
            CLUSTER_IP,
            "-p",
            "tcp",
            "-j",
            "DNAT",
            "--to-destination",
            ContenderNode.NODE);

    /** kube-proxy's userspace mode looks for the link of the default route, and redirects to that link's address. */
    private static final List<String> DEFAULT_ROUTE = List.of("ip", "route", "add", "default", "dev", "cni0");

    private static final Duration RULE_MAX = Duration.ofSeconds(10);

    private static final String NGINX_CONFIG = """
            load_module %1$s;
            worker_processes 2;
            daemon off;
            pid %2$s.pid;
            error_log %2$s.log;
            events { worker_connections 19900; }
            stream {
              proxy_timeout 600s;
              server { listen 10.244.0.1:9080 backlog=4096; proxy_pass 10.244.0.3:8080; }
              server { listen 10.244.0.1:9201; proxy_pass 10.244.0.3:5201; }
              server { listen 10.244.0.1:9007 udp reuseport; proxy_pass 10.244.0.3:7007; }
            }
            """;

    private final String label;

    Contender(String label) {
        this.label = label;
    }

    /** The name in tables. */
    @Override
    public String toString() {
        return label;
    }

    /** Whether it follows the EndpointSlices of an API server. kube-proxy's userspace mode reads only Endpoints. */
    public boolean followsSlices() {
        return switch (this) {
            case USERSPACE, IPTABLES, NFTABLES, KUBE_PROXY, KUBE_PROXY_NFTABLES -> true;
            case DIRECT, HAPROXY, HAPROXY_DNAT, NGINX, KUBE_PROXY_USERSPACE -> false;
        };
    }

    /** Whether its process is a JVM. */
    public boolean isJvm() {
        return switch (this) {
            case USERSPACE, IPTABLES, NFTABLES -> true;
            case DIRECT, HAPROXY, HAPROXY_DNAT, NGINX, KUBE_PROXY, KUBE_PROXY_NFTABLES, KUBE_PROXY_USERSPACE -> false;
        };
    }

    /** The direct path, and all that follow the slices of an API server. */
    public static List<Contender> ofServices() {
        return Arrays.stream(values())
                .filter(contender -> contender == DIRECT || contender.followsSlices())
                .toList();
    }

    /** The address for a client's traffic. */
    ContenderAddress way() {
        return switch (this) {
            case DIRECT ->
                new ContenderAddress(
                        ContenderNode.SERVER,
                        ContenderNode.HTTP,
                        ContenderNode.BULK,
                        OptionalInt.of(ContenderNode.ECHO));
            case USERSPACE, IPTABLES, NFTABLES, KUBE_PROXY, KUBE_PROXY_NFTABLES, KUBE_PROXY_USERSPACE ->
                new ContenderAddress(CLUSTER_IP, 80, 5201, OptionalInt.of(7));
            case HAPROXY -> new ContenderAddress(ContenderNode.NODE, 9080, 9201, OptionalInt.empty());
            case HAPROXY_DNAT -> new ContenderAddress(CLUSTER_IP, 9080, 9201, OptionalInt.empty());
            case NGINX -> new ContenderAddress(ContenderNode.NODE, 9080, 9201, OptionalInt.of(9007));
        };
    }

    /** The missing parts for its measurement; empty if there are none. */
    public Optional<String> missing(Programs programs) {
        return switch (this) {
            case DIRECT, USERSPACE, IPTABLES, NFTABLES -> Optional.empty();
            case HAPROXY, HAPROXY_DNAT ->
                Command.exists("haproxy")
                        ? Optional.empty()
                        : Optional.of(label + ": not installed (Debian package haproxy)");
            case NGINX ->
                Command.exists("nginx") && Files.exists(STREAM_MODULE)
                        ? Optional.empty()
                        : Optional.of(
                                "nginx stream: not installed (Debian packages nginx-light and libnginx-mod-stream)");
            case KUBE_PROXY, KUBE_PROXY_NFTABLES, KUBE_PROXY_USERSPACE -> KubeProxyBinary.missing(programs, this);
        };
    }

    /** The objects of a cluster with one Service. */
    static List<ApiObject> objects() {
        return List.of(
                ApiObject.node(ContenderNode.NODE_NAME, ContenderNode.NODE),
                ApiObject.service("web", CLUSTER_IP, PORTS),
                ApiObject.slice("web", List.of(ContenderNode.SERVER), List.of(), PORTS),
                ApiObject.endpoints("web", ContenderNode.SERVER, PORTS));
    }

    /** Starts it on a node; it may serve later. */
    public Optional<Process> start(ContenderNode lane, Programs programs, String apiServer)
            throws IOException, InterruptedException {
        return switch (this) {
            case DIRECT -> Optional.empty();
            case HAPROXY -> Optional.of(haproxy(lane));
            case HAPROXY_DNAT -> {
                Command.output(lane.onNode(DNAT), RULE_MAX);
                yield Optional.of(haproxy(lane));
            }
            case NGINX -> {
                String base = lane.file("nginx-stream", "");
                String config = lane.file("nginx-stream.conf", NGINX_CONFIG.formatted(STREAM_MODULE, base));
                yield Optional.of(lane.startOnNode(List.of("nginx", "-e", base + ".log", "-c", config), label));
            }
            case USERSPACE, IPTABLES, NFTABLES ->
                Optional.of(lane.startOnNode(nodepath(programs, label, apiServer), label));
            case KUBE_PROXY, KUBE_PROXY_NFTABLES -> Optional.of(kubeProxy(lane, programs, apiServer));
            case KUBE_PROXY_USERSPACE -> {
                Command.output(lane.onNode(DEFAULT_ROUTE), RULE_MAX);
                yield Optional.of(kubeProxy(lane, programs, apiServer));
            }
        };
    }

    private Process kubeProxy(ContenderNode lane, Programs programs, String apiServer) throws IOException {
        return lane.startOnNode(programs.kubeProxy().orElseThrow().command(this, followed(apiServer)), label);
    }

    private Process haproxy(ContenderNode lane) throws IOException {
        return lane.startOnNode(List.of("haproxy", "-db", "-f", lane.file("haproxy.cfg", HAPROXY_CONFIG)), label);
    }

    private static List<String> nodepath(Programs programs, String mode, String apiServer) {
        List<String> command = new ArrayList<>(programs.nodepath());
        command.addAll(List.of("proxy", "--mode", mode));
        command.addAll(followed(apiServer));
        return command;
    }

    /**
     * The options of a proxy with an API server. Their OOM score makes the kernel end the benchmark first when memory
     * is short.
     */
    private static List<String> followed(String apiServer) {
        return List.of(
                "--master",
                apiServer,
                "--hostname-override",
                ContenderNode.NODE_NAME,
                "--cluster-cidr",
                "10.244.0.0/16",
                "--oom-score-adj=0");
    }
}
