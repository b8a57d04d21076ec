package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Calls the CNI plugin on a node as a container runtime does: exec in the node's network namespace, parameters in the
 * environment, the network configuration on standard input, the result on standard output (CNI specification 1.0.0,
 * section 2).
 */
final class CniRuntime implements CniPlugin {
    private static final JsonFactory JSON = new JsonFactory();
    private static final String PLUGIN = "nodepath-bridge";
    private static final String NETWORK = "nodepath";
    private static final String INTERFACE = "eth0";
    private static final Duration CALL_MAX = Duration.ofSeconds(60);

    private final Path plugin;
    private final Path nodeNamespace;
    private final Path conflist;
    private final Path socket;

    /**
     * The runtime of one node.
     *
     * @param plugin the command to exec
     * @param nodeNamespace the file of the node's network namespace
     * @param files of the node: the network's configuration list, which its agent writes, and the agent's socket
     */
    CniRuntime(Path plugin, Path nodeNamespace, NodeFolder files) {
        this.plugin = plugin;
        this.nodeNamespace = nodeNamespace;
        this.conflist = files.conflist();
        this.socket = files.socket();
    }

    @Override
    public List<IpAddress> add(PodSandbox sandbox, List<ContainerSpec.Port> hostPorts)
            throws IOException, InterruptedException {
        String result = call("ADD", sandbox, hostPorts);
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

    @Override
    public void delete(PodSandbox sandbox) throws IOException, InterruptedException {
        call("DEL", sandbox, List.of());
    }

    private String call(String command, PodSandbox sandbox, List<ContainerSpec.Port> hostPorts)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(List.of("nsenter", "--net=" + nodeNamespace, "--", plugin.toString()));
        builder.environment().put("NODEPATH_CNI_SOCKET", socket.toString());
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
                        String.valueOf(plugin.getParent()),
                        "CNI_ARGS",
                        "IgnoreUnknown=1;K8S_POD_NAMESPACE=" + sandbox.pod().namespace() + ";K8S_POD_NAME="
                                + sandbox.pod().name() + ";K8S_POD_UID=" + sandbox.uid()
                                + ";K8S_POD_INFRA_CONTAINER_ID=" + sandbox.containerId()));
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        ShortCommand call = ShortCommand.run(builder, configuration(hostPorts), CALL_MAX);
        if (call.exitCode() != 0) {
            throw new IOException(PLUGIN + " " + command + " " + sandbox.pod() + ": "
                    + call.output().strip());
        }
        return call.output();
    }

    /**
     * The configuration of the list's one plugin, as a runtime gives it: with the list's name and version, and host
     * ports.
     */
    private String configuration(List<ContainerSpec.Port> hostPorts) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text);
                JsonParser list = JSON.createParser(conflist.toFile())) {
            while (!"plugins".equals(list.currentName())) {
                if (list.nextToken() == null) {
                    throw new IOException(conflist + ": no plugins (expected: a CNI configuration list)");
                }
            }
            while (list.currentToken() != JsonToken.START_OBJECT) {
                list.nextToken();
            }
            json.writeStartObject();
            json.writeStringField("cniVersion", "1.0.0");
            json.writeStringField("name", NETWORK);
            while (list.nextToken() != JsonToken.END_OBJECT) {
                json.copyCurrentStructure(list);
            }
            if (!hostPorts.isEmpty()) {
                json.writeObjectFieldStart("runtimeConfig");
                writeMappings(json, hostPorts);
                json.writeEndObject();
            }
            json.writeEndObject();
        }
        return text.toString();
    }

    private static void writeMappings(JsonGenerator json, List<ContainerSpec.Port> hostPorts) throws IOException {
        json.writeArrayFieldStart("portMappings");
        for (ContainerSpec.Port port : hostPorts) {
            json.writeStartObject();
            json.writeNumberField("hostPort", port.hostPort());
            json.writeNumberField("containerPort", port.number());
            json.writeStringField("protocol", port.protocol().toLowerCase(Locale.ROOT));
            json.writeStringField("hostIP", port.hostIp());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
