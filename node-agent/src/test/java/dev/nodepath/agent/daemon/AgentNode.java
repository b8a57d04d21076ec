package dev.nodepath.agent.daemon;

import dev.nodepath.endpoints.source.kubernetes.TestApiServer;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A node of a test: a namespace with a link, an API server that knows it as n1, and agents. */
final class AgentNode implements AutoCloseable {
    /** The port of the Service, which also has the cluster IP 10.96.0.10 with its port 80. */
    static final int NODE_PORT = 30080;

    private static final String NODE = """
            {"metadata":{"name":"%s"},"spec":{"podCIDRs":["%s"]},
            "status":{"addresses":[{"type":"InternalIP","address":"%s"}]}}""";
    private static final String SERVICE = """
            {"metadata":{"namespace":"default","name":"web"},"spec":{"clusterIP":"10.96.0.10",\
            "type":"NodePort","ports":[{"name":"tcp","port":80,"nodePort":%d,"protocol":"TCP"}]}}""";
    private static final String SLICE = """
            {"metadata":{"namespace":"default","name":"web-1","labels":{"kubernetes.io/service-name":"web"}},\
            "addressType":"IPv4","endpoints":[{"addresses":["%s"],"conditions":{"ready":true},"nodeName":"n1"}],\
            "ports":[{"name":"tcp","port":8080,"protocol":"TCP"}]}""";

    private final IptablesNamespace namespace = IptablesNamespace.create();
    private final List<NodepathProcess> agents = new ArrayList<>();
    private final Path folder;
    private final TestApiServer api;

    AgentNode(Path folder) throws Exception {
        this.folder = folder;
        namespace.run("ip", "link", "set", "lo", "up");
        namespace.run("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth1");
        namespace.run("ip", "addr", "add", "172.18.0.2/24", "dev", "eth0");
        namespace.run("ip", "link", "set", "eth0", "up");
        namespace.run("ip", "link", "set", "eth1", "up");
        awaitCarriers(namespace);
        namespace.run("ip", "route", "add", "default", "via", "172.18.0.1");
        Files.createDirectories(folder.resolve("net.d"));
        api = inside().call(() -> new TestApiServer());
        api.put(TestApiServer.NODES, node("n1", "10.244.1.0/24", "172.18.0.2"));
        api.put(TestApiServer.SERVICES, SERVICE.formatted(NODE_PORT));
        setEndpoint("172.18.0.2");
    }

    /** Sets the address of the Service's endpoint, whose port is 8080. */
    void setEndpoint(String address) {
        api.put(TestApiServer.SLICES, SLICE.formatted(address));
    }

    /** A thread of the kernel reports them later; then the links have routes of IPv6. */
    private static void awaitCarriers(IptablesNamespace namespace) throws Exception {
        Eventually.isTrue("routes of both links", () -> {
            String routes = namespace.run("ip", "-6", "route");
            return routes.contains(" dev eth0 ") && routes.contains(" dev eth1 ");
        });
    }

    static String node(String name, String podCidr, String address) {
        return NODE.formatted(name, podCidr, address);
    }

    IptablesNamespace namespace() {
        return namespace;
    }

    NetworkNamespace inside() {
        return namespace.opened();
    }

    TestApiServer api() {
        return api;
    }

    Path conflist() {
        return folder.resolve("net.d/10-nodepath.conflist");
    }

    /** Starts an agent of this API server that installs nothing; its log has this name. */
    NodepathProcess agent(String name, String... arguments) throws IOException {
        return agentAfter(":", name, arguments);
    }

    /** The same, after these words of a shell in its network and mount namespaces. */
    NodepathProcess agentAfter(String shell, String name, String... arguments) throws IOException {
        List<String> launcher = new ArrayList<>(namespace.launcher());
        launcher.addAll(List.of("sh", "-ec", shell + "\nexec \"$@\"", "sh"));
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.add("--master=" + api.url());
        if (!all.contains("--install=true")) {
            all.add("--install=false");
        }
        NodepathProcess agent = NodepathProcess.agent(launcher, folder, name, all);
        agents.add(agent);
        return agent;
    }

    /** Starts {@code nodepath proxy} with this API server; its log has this name. */
    NodepathProcess proxy(String name, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.add("--master=" + api.url());
        NodepathProcess proxy = NodepathProcess.proxy(namespace.launcher(), folder.resolve(name + ".log"), all);
        agents.add(proxy);
        return proxy;
    }

    String get(String url) throws IOException {
        return namespace.run("curl", "-s", "--max-time", "10", "http://127.0.0.1:" + url);
    }

    @Override
    public void close() throws IOException {
        for (NodepathProcess agent : agents) {
            agent.close();
        }
        api.close();
        namespace.close();
    }
}
