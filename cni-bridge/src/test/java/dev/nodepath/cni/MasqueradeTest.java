package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules of {@code ipMasq} live with their attachments and with the network's setting. */
class MasqueradeTest extends FakeNodeTest {
    private static final String NOT_TO_NETWORK =
            "AddressIn[field=DESTINATION_ADDRESS, networks=[10.1.2.0/24], negated=true]";

    @Test
    void givesEachAddressARuleThatGoesWithItsAttachment() throws Exception {
        succeeded(node.add(config("\"ipMasq\":true"), "dummy", netns));
        assertThat(rules()).containsExactly("10.1.2.2/24 dummy-eth0", "fd00::2/64 dummy-eth0");
        assertThat(node.net.nftState())
                .contains("AddressIn[field=SOURCE_ADDRESS, networks=[10.1.2.2/32], negated=false], " + NOT_TO_NETWORK
                        + ", AddressIn[field=DESTINATION_ADDRESS");
        succeeded(node.add(config("\"ipMasq\":true"), "second", node.pod("second")));
        assertThat(rules()).hasSize(4);
        succeeded(node.del(config("\"ipMasq\":true"), "dummy", netns));
        assertThat(rules()).containsExactly("10.1.2.3/24 second-eth0", "fd00::3/64 second-eth0");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"ipMasq\":false|",
                "\"ip6Masq\":false|",
                "\"ipMasq\":true|10.1.2.2/24 dummy-eth0,fd00::2/64 dummy-eth0",
                "\"ipMasq\":true,\"ip6Masq\":null|10.1.2.2/24 dummy-eth0,fd00::2/64 dummy-eth0",
                "\"ipMasq\":true,\"ip6Masq\":false|10.1.2.2/24 dummy-eth0",
                "\"ip6Masq\":true|fd00::2/64 dummy-eth0",
                "\"ipMasq\":true,\"ipMasqWithinSubnet\":true|10.1.2.2/24 within dummy-eth0,fd00::2/64 within dummy-eth0",
                "\"ipMasqWithinSubnet\":true|",
            })
    void masqueradesWhatTheSettingSays(String setting, String expected) throws Exception {
        // For any earlier value.
        succeeded(node.add(config("\"ipMasq\":true"), "dummy", netns));
        String result = succeeded(node.add(config(setting), "dummy", netns)).stdout();
        assertThat(String.join(",", rules())).isEqualTo(expected == null ? "" : expected);
        assertThat(node.net.nftState().contains(NOT_TO_NETWORK)).isEqualTo(rules().contains("10.1.2.2/24 dummy-eth0"));
        String checked = config(setting).replaceFirst("}$", ",\"prevResult\":" + result.strip() + "}");
        assertThat(node.call(checked, TestNode.environment("CHECK", "dummy", netns)))
                .isEqualTo(new CallOutcome(0, "", ""));
    }

    @Test
    void tellsWhichRuleIsMissing() throws Exception {
        String result =
                succeeded(node.add(config("\"ip6Masq\":true"), "dummy", netns)).stdout();
        String checked = config("\"ipMasq\":true").replaceFirst("}$", ",\"prevResult\":" + result.strip() + "}");
        assertThat(node.call(checked, TestNode.environment("CHECK", "dummy", netns))
                        .stdout())
                .contains("rule of ipMasq for 10.1.2.2/24: missing");
    }

    @Test
    void leavesNewContainersTheirAddressAfterTheSettingHasGone() throws Exception {
        succeeded(node.add(config("\"ipMasq\":true"), "old", netns));
        succeeded(node.add(config("\"ipMasq\":false"), "new", node.pod("new")));
        assertThat(rules()).containsExactly("10.1.2.2/24 old-eth0", "fd00::2/64 old-eth0");
        succeeded(node.del(config("\"ipMasq\":false"), "old", netns));
        assertThat(rules()).isEmpty();
    }

    @Test
    void leavesAnotherNetworkOnTheSameSubnetItsAddresses() throws Exception {
        succeeded(node.add(config("\"ipMasq\":true"), "dummy", netns));
        String other = config("\"ipMasq\":false")
                .replace(TestNode.NETWORK, "another")
                .replace("{\"subnet\":\"10.1.2.0/24\"}", "{\"subnet\":\"10.1.2.0/24\",\"rangeStart\":\"10.1.2.100\"}")
                .replace("{\"subnet\":\"fd00::/64\"}", "{\"subnet\":\"fd00::/64\",\"rangeStart\":\"fd00::100\"}");
        succeeded(node.add(other, "other", node.pod("other")));
        assertThat(rules()).containsExactly("10.1.2.2/24 dummy-eth0", "fd00::2/64 dummy-eth0");
        succeeded(node.del(other, "other", ""));
        assertThat(rules()).hasSize(2);
    }

    @Test
    void takesARuleFromWhoHadTheAddressBefore() throws Exception {
        succeeded(node.add(config("\"ipMasq\":true"), "lost", netns));
        for (String address : node.reserved()) {
            Files.delete(dataDir.resolve(TestNode.NETWORK).resolve(address));
        }
        String asking = config("\"ipMasq\":false")
                .replaceFirst("\\{", "{\"args\":{\"cni\":{\"ips\":[\"10.1.2.2\",\"fd00::2\"]}},");
        succeeded(node.add(asking, "dummy", node.pod("dummy")));
        assertThat(rules()).isEmpty();
    }

    @Test
    void collectsTheRulesOfAttachmentsThatAreNotValid() throws Exception {
        String long64 = "f".repeat(64);
        String long200 = "e".repeat(200);
        for (String container : List.of("gone", long64, long200)) {
            succeeded(node.add(config("\"ipMasq\":true"), container, node.pod("p" + container.length())));
        }
        List<String> before = rules();
        assertThat(before).hasSize(6).allMatch(rule -> rule.length() <= 127);
        node.net.delete("p4");
        gc("{\"containerID\":\"" + long64 + "\",\"ifname\":\"eth0\"},{\"containerID\":\"" + long200
                + "\",\"ifname\":\"eth0\"}");
        assertThat(rules()).isEqualTo(before.subList(2, 6));
        gc("");
        assertThat(node.net.nftState()).doesNotContain("network-");
    }

    private void gc(String valid) {
        String json = config("\"ipMasq\":true").replaceFirst("\\{", "{\"cni.dev/valid-attachments\":[" + valid + "],");
        CallOutcome outcome = node.call(json, Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/"));
        assertThat(outcome).isEqualTo(new CallOutcome(0, "", ""));
    }

    private String config(String setting) {
        return node.gatewayConfig("1.1.0", "10.1.2.0/24", "fd00::/64")
                .replace("\"isDefaultGateway\"", setting + ",\"isDefaultGateway\"");
    }

    /** The comments of all rules, which name their owners. */
    private List<String> rules() {
        List<String> comments = new ArrayList<>();
        node.net
                .nftState()
                .lines()
                .filter(line -> line.contains(" # "))
                .forEach(line -> comments.add(line.substring(line.indexOf(" # ") + 3)));
        return comments;
    }
}
