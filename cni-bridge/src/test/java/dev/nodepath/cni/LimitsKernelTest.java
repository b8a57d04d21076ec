package dev.nodepath.cni;

import static dev.nodepath.cni.SharedNode.succeeded;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.namespace.NetworkNamespace;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Inputs that the kernel or the plugin refuses, and that the plugin accepts as much as upstream's. */
@Tag("netns")
class LimitsKernelTest {
    @TempDir
    Path dataDir;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1279 | 0    | mtu: 1279, the MTU of the link of the node's default route, as the configuration"
                        + " has none (expected: at least 1280",
                "1500 | 1279 | mtu: 1279 (expected: at least 1280, as the container gets the IPv6 address fd00::2/64)",
            })
    void saysThatALinkIsTooSmallForIpv6(String uplink, String mtu, String message) throws Exception {
        try (SharedNode node = new SharedNode("np-mtu")) {
            node.run("ip", "link", "add", "uplink", "mtu", uplink, "type", "veth", "peer", "name", "far");
            node.run("ip", "address", "add", "172.30.0.2/24", "dev", "uplink");
            node.run("ip", "link", "set", "uplink", "up");
            node.run("ip", "route", "add", "default", "via", "172.30.0.1");
            String ipv4 = config("\"mtu\":" + mtu + ",", "", "10.1.2.0/24");
            String dual = ipv4.replace("]]", "],[{\"subnet\":\"fd00::/64\"}]]");
            assertThat(node.ours("ADD", "dual", dual).stdout()).contains("\"code\":7,", message);
            assertThat(node.run("ip", "-o", "link")).doesNotContain("bridge0");
            assertThat(dataDir.resolve("n").resolve("fd00::2")).doesNotExist();
            succeeded(node.ours("ADD", "single", ipv4));
        }
    }

    @Test
    void takesManyRoutesAndRanges() throws Exception {
        String routes = IntStream.range(0, 1000)
                .mapToObj(i -> "{\"dst\":\"10." + (100 + i / 256) + "." + i % 256 + ".0/24\"}")
                .collect(Collectors.joining(","));
        String ranges = IntStream.range(0, 200)
                .mapToObj(i -> "{\"subnet\":\"10.1." + i + ".0/24\"}")
                .collect(Collectors.joining(","))
                .replaceFirst("[{]\"subnet\":\"10.1.0.0/24\"", "{\"subnet\":\"10.1.0.0/24\",\"rangeEnd\":\"10.1.0.2\"");
        String config = config("", "\"routes\":[" + routes + "],", "x").replace("{\"subnet\":\"x\"}", ranges);
        try (SharedNode node = new SharedNode("np-many")) {
            for (String container : new String[] {"a", "b"}) {
                String stdout = succeeded(node.ours("ADD", container, config)).stdout();
                assertThat(stdout).contains(container.equals("a") ? "10.1.0.2/24" : "10.1.1.2/24");
                try (NetworkNamespace pod = node.pod(container)) {
                    assertThat(pod.routes()).hasSizeGreaterThan(1000);
                }
                succeeded(node.ours("DEL", container, config));
            }
        }
    }

    @Test
    void masqueradesHundredsOfAddressesOfAContainer() throws Exception {
        String ranges = IntStream.range(0, 400)
                .mapToObj(i -> "{\"subnet\":\"10." + (1 + i / 200) + "." + i % 200 + ".0/24\"}")
                .collect(Collectors.joining("],["));
        String config = config("\"ipMasq\":true,", "", "x").replace("{\"subnet\":\"x\"}", ranges);
        try (SharedNode node = new SharedNode("np-masq")) {
            succeeded(node.ours("ADD", "a", config));
            assertThat(node.run("nft", "list", "table", "inet", "nodepath_cni").split("a-eth0", -1))
                    .hasSize(401);
            succeeded(node.ours("DEL", "a", config));
            assertThat(node.run("nft", "list", "table", "inet", "nodepath_cni")).doesNotContain("a-eth0");
        }
    }

    private String config(String options, String ipamOptions, String subnet) {
        return "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"type\":\"bridge\",\"bridge\":\"bridge0\"," + options
                + "\"isDefaultGateway\":true,\"ipam\":{\"type\":\"host-local\"," + ipamOptions + "\"dataDir\":\""
                + dataDir + "\",\"ranges\":[[{\"subnet\":\"" + subnet + "\"}]]}}";
    }
}
