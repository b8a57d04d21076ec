package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Calls the CNI plugin on a node as a container runtime does: exec in the node's network namespace, parameters in the
 * environment, the network configuration on standard input, the result on standard output (CNI specification 1.0.0, section 2).
 */
final class CniRuntime {
    private static final JsonFactory JSON = new JsonFactory();
    private static final String PLUGIN = "nodepath-bridge";
    private static final String INTERFACE = "eth0";
    private static final Duration CALL_MAX = Duration.ofSeconds(60);

    private final Path pluginFolder;
    private final Path nodeNamespace;
    private final List<Cidr> podCidrs;
    private final Path dataFolder;

    /**
     * The runtime of one node.
     *
     * @param pluginFolder CNI_PATH
     * @param nodeNamespace the file of the node's network namespace
     * @param podCidrs where its pods get their addresses from
     * @param dataFolder where the plugin keeps the addresses in use
     */
    CniRuntime(Path pluginFolder, Path nodeNamespace, List<Cidr> podCidrs, Path dataFolder) {
        this.pluginFolder = pluginFolder;
        this.nodeNamespace = nodeNamespace;
        this.podCidrs = List.copyOf(podCidrs);
        this.dataFolder = dataFolder;
    }

    /** Attaches a pod and returns the addresses that the plugin gave it. */
    List<IpAddress> add(PodSandbox sandbox) throws IOException, InterruptedException {
        String result = call("ADD", sandbox);
        List<IpAddress> addresses = new ArrayList<>();
        try (JsonParser parser = JSON.createParser(result)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.VALUE_STRING && "address".equals(parser.currentName())) {
                    addresses.add(Cidr.parse(parser.getText()).address());
                }
            }
        }
        if (addresses.isEmpty()) {
            throw new IOException(PLUGIN + " ADD " + sandbox.pod() + ": result without an address: " + result);
        }
        return addresses;
    }

    /** Detaches a pod. */
    void delete(PodSandbox sandbox) throws IOException, InterruptedException {
        call("DEL", sandbox);
    }

    private String call(String command, PodSandbox sandbox) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(NamespaceProcess.inside(
                nodeNamespace, List.of(pluginFolder.resolve(PLUGIN).toString())));
        builder.environment()
                .putAll(Map.of(
                        "CNI_COMMAND",
                        command,
                        "CNI_CONTAINERID",
                        sandbox.containerId(),
                        "CNI_NETNS",
                        sandbox.namespaceFile().toString(),
                        "CNI_IFNAME",
                        INTERFACE,
                        "CNI_PATH",
                        pluginFolder.toString(),
                        "CNI_ARGS",
                        "IgnoreUnknown=1;K8S_POD_NAMESPACE=" + sandbox.pod().namespace() + ";K8S_POD_NAME="
                                + sandbox.pod().name() + ";K8S_POD_INFRA_CONTAINER_ID=" + sandbox.containerId()));
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        ShortCommand call = ShortCommand.run(builder, configuration(), CALL_MAX);
        if (call.exitCode() != 0) {
            throw new IOException(PLUGIN + " " + command + " " + sandbox.pod() + ": "
                    + call.output().strip());
        }
        return call.output();
    }

    private String configuration() throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("cniVersion", "1.0.0");
            json.writeStringField("name", "nodepath");
            json.writeStringField("type", PLUGIN);
            json.writeStringField("bridge", "cni0");
            json.writeBooleanField("isDefaultGateway", true);
            json.writeBooleanField("hairpinMode", true);
            json.writeObjectFieldStart("ipam");
            json.writeStringField("type", "host-local");
            json.writeArrayFieldStart("ranges");
            for (Cidr podCidr : podCidrs) {
                json.writeStartArray();
                json.writeStartObject();
                json.writeStringField("subnet", podCidr.toString());
                json.writeEndObject();
                json.writeEndArray();
            }
            json.writeEndArray();
            json.writeStringField("dataDir", dataFolder.toString());
            json.writeEndObject();
            json.writeEndObject();
        }
        return text.toString();
    }
}
