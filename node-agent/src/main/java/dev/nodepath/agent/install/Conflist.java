package dev.nodepath.agent.install;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.nodepath.cni.PolicyTableGate;
import dev.nodepath.cni.protocol.CniVersion;
import dev.nodepath.linux.address.Cidr;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The network of a node's pods, in the form of a container runtime's configuration (CNI specification 1.1.0 section
 * 1).
 *
 * @param podCidrs the networks of the pods' addresses, one of each family
 * @param mtu of the pods' links; empty for the MTU of the node's default route
 * @param stateDir folder of the addresses in use, the same for the agent and the node
 * @param policyMark the node's file that says that NetworkPolicies are in force
 * @param sourceCheck whether pods may send only with their own MAC and addresses
 * @param portmapVersions the versions that the node's portmap plugin speaks; empty if it has none
 */
public record Conflist(
        List<Cidr> podCidrs,
        Optional<Integer> mtu,
        Path stateDir,
        Path policyMark,
        boolean sourceCheck,
        Optional<List<String>> portmapVersions) {
    /** The network's name, also of its folder of addresses. */
    public static final String NETWORK = PolicyTableGate.NETWORK;

    /** The bridge of the pods. */
    public static final String BRIDGE = "cni0";

    /** The version for a runtime without {@code cniVersions}. */
    private static final String BASE_VERSION = "1.0.0";

    private static final String SUBNET = "subnet";
    private static final CniVersion OLDEST_LISTED = CniVersion.V0_3_1;

    public Conflist {
        podCidrs = List.copyOf(podCidrs);
        portmapVersions = portmapVersions.map(List::copyOf);
    }

    /** The podCIDRs in such a text; empty if they cannot be read. */
    static List<Cidr> podCidrs(String text) {
        List<Cidr> podCidrs = new ArrayList<>();
        try (JsonParser json = new JsonFactory().createParser(text)) {
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                if (token == JsonToken.VALUE_STRING && SUBNET.equals(json.currentName())) {
                    podCidrs.add(Cidr.parse(json.getText()));
                }
            }
            return podCidrs;
        } catch (IOException | IllegalArgumentException e) {
            return List.of();
        }
    }

    /** The list as JSON, without a line end. */
    public String text() {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.useDefaultPrettyPrinter();
            List<String> versions = versions();
            json.writeStartObject();
            json.writeStringField("cniVersion", baseVersion(versions));
            json.writeArrayFieldStart("cniVersions");
            for (String version : versions) {
                json.writeString(version);
            }
            json.writeEndArray();
            json.writeStringField("name", NETWORK);
            json.writeArrayFieldStart("plugins");
            writeBridge(json);
            if (chainsPortmap()) {
                writePortmap(json);
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a string does not fail
        }
        return text.toString();
    }

    /**
     * Whether the node's own plugin serves host ports; otherwise the bridge plugin does. A portmap plugin without a
     * common version would make every pod fail.
     */
    public boolean chainsPortmap() {
        return portmapVersions.isPresent() && spoken(portmapVersions.get()).size() > 0;
    }

    /** Every plugin of the list must support the version that a runtime chooses. */
    private List<String> versions() {
        return chainsPortmap() ? spoken(portmapVersions.orElseThrow()) : spoken(CniVersion.supported());
    }

    private static List<String> spoken(List<String> others) {
        return CniVersion.supported().stream()
                .filter(version -> CniVersion.of(version)
                        .filter(own -> own.isAtLeast(OLDEST_LISTED))
                        .isPresent())
                .filter(others::contains)
                .toList();
    }

    private static String baseVersion(List<String> versions) {
        return versions.contains(BASE_VERSION) ? BASE_VERSION : versions.get(versions.size() - 1);
    }

    private void writeBridge(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("type", PluginFiles.PLUGIN);
        json.writeStringField("bridge", BRIDGE);
        json.writeBooleanField("isDefaultGateway", true);
        json.writeBooleanField("hairpinMode", true);
        json.writeBooleanField("bridgeNetfilter", true);
        json.writeStringField("policyMark", policyMark.toString());
        if (sourceCheck) {
            json.writeBooleanField("ipspoofchk", true);
        }
        if (!chainsPortmap()) {
            writePortMappings(json);
        }
        if (mtu.isPresent()) {
            json.writeNumberField("mtu", mtu.get());
        }
        json.writeObjectFieldStart("ipam");
        json.writeStringField("type", "host-local");
        json.writeStringField("dataDir", stateDir.toString());
        json.writeArrayFieldStart("ranges");
        for (Cidr podCidr : podCidrs) {
            json.writeStartArray();
            json.writeStartObject();
            json.writeStringField(SUBNET, podCidr.toString());
            json.writeEndObject();
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeEndObject();
        json.writeEndObject();
    }

    private static void writePortmap(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("type", "portmap");
        writePortMappings(json);
        json.writeEndObject();
    }

    /** The runtime tells the host ports to this plugin. */
    private static void writePortMappings(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("capabilities");
        json.writeBooleanField("portMappings", true);
        json.writeEndObject();
    }
}
