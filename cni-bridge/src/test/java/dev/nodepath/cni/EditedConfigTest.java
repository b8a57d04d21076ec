package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** DEL and GC get the present configuration, edited since the ADD, and still remove everything. */
class EditedConfigTest extends FakeNodeTest {
    /**
     * An edit.
     *
     * @param from a part of the configuration
     * @param to the text after the edit
     * @param refusal of an ADD with it; empty if that would succeed
     */
    record Edit(String from, String to, String refusal) {
        String of(String config) {
            assertThat(config).contains(from);
            return config.replace(from, to);
        }

        @Override
        public String toString() {
            return to.length() > 60 ? to.substring(0, 60) + "..." : to;
        }
    }

    private static final String RANGES = "\"ranges\":[[{\"subnet\":\"10.1.2.0/24\"}],[{\"subnet\":\"fd00::/64\"}]]";
    private static final String TYPE = "\"type\":\"host-local\"";
    private static final String BRIDGE = "\"bridge\":\"bridge0\"";

    /** Edits of a configuration by people and programs. */
    static Stream<Edit> edits() {
        List<String> routes = new ArrayList<>();
        for (int i = 0; i < 16_385; i++) {
            routes.add("{\"dst\":\"10.99." + i % 256 + ".0/24\"}");
        }
        return Stream.of(
                added("\"mtu\":67", "mtu: 67"),
                added("\"mtu\":\"1400\"", "mtu: "),
                added("\"ipMasqBackend\":\"nftabels\"", "ipMasqBackend: "),
                added("\"hairpinMode\":true,\"promiscMode\":true", "cannot set hairpin mode and promiscuous mode"),
                added("\"hairpinMode\":1", "hairpinMode: 1"),
                added("\"disableContainerInterface\":true", "cannot use IPAM when disableContainerInterface"),
                added("\"vlan\":4095", "invalid VLAN ID 4095"),
                added("\"vlanTrunk\":[{\"minID\":9,\"maxID\":3}]", "vlanTrunk[0].maxID: 3"),
                added("\"vlanTrunk\":5", "vlanTrunk: 5"),
                added("\"dns\":\"10.96.0.10\"", "dns: "),
                added("\"dns\":{\"search\":[1]}", "dns.search[0]: 1"),
                added("\"runtimeConfig\":[]", "runtimeConfig: []"),
                added("\"runtimeConfig\":{\"mac\":\"01:00:00:00:00:01\"}", "runtimeConfig.mac: "),
                added("\"runtimeConfig\":{\"ips\":[\"10.1.2.300\"]}", "runtimeConfig.ips[0]: "),
                added("\"args\":{\"cni\":7}", "args.cni: 7"),
                added("\"prevResult\":[1]", "prevResult: a list"),
                added("\"prune\":\"yes\"", "prune: "),
                added("\"x\":" + "[".repeat(2000) + "]".repeat(2000), ""),
                added("\"x\":" + "{\"a]\\\"\":[".repeat(50_000) + "]}".repeat(50_000), ""),
                added("\"vlan\":" + "[".repeat(70) + "]".repeat(70), "vlan: a list"),
                added("\"x\":" + "7".repeat(5000), ""),
                added("\"x\":-0." + "7".repeat(5000) + "e-7", ""),
                added("\"mtu\":" + "7".repeat(5000), "mtu: 777"),
                added("\"" + "k".repeat(60_000) + "\":1", ""),
                new Edit(BRIDGE, "\"bridge\":\"a/b\"", "bridge: "),
                new Edit(BRIDGE, "\"bridge\":7", "bridge: 7"),
                new Edit("\"ipMasq\":true,\"macspoofchk\":true", "\"ipMasq\":false,\"macspoofchk\":false", ""),
                new Edit("\"ipMasq\":true,\"macspoofchk\":true", "\"ipMask\":true,\"macspoofcheck\":true", ""),
                new Edit("\"ipMasq\":true,\"macspoofchk\":true", "\"ipMasq\":\"true\",\"macspoofchk\":0", "ipMasq: "),
                new Edit(RANGES, "\"ranges\":[[{\"subnet\":\"10.1.2.3/24\"}]]", "Network has host bits set"),
                new Edit(
                        RANGES,
                        "\"ranges\":[[{\"subnet\":\"10.1.2.0/24\",\"rangeStart\":\"10.9.0.1\"}]]",
                        "RangeStart"),
                new Edit(
                        RANGES,
                        "\"ranges\":[[{\"subnet\":\"10.1.2.0/24\"}],[{\"subnet\":\"10.1.2.0/25\"}]]",
                        "overlap"),
                new Edit(RANGES, "\"ranges\":[[{\"subnet\":\"10.1.2.0/24\",\"exclude\":\"x\"}]]", "exclude: "),
                new Edit(RANGES, "\"ranges\":\"10.1.2.0/24\"", "ipam.ranges: "),
                new Edit(RANGES, "\"range\":[]", "no IP ranges specified"),
                new Edit(RANGES, RANGES + ",\"routes\":[" + String.join(",", routes) + "]", "ipam.routes: "),
                new Edit(RANGES, RANGES + ",\"resolvConf\":\"/nowhere/resolv.conf\"", "resolv.conf"),
                new Edit(RANGES, RANGES + ",\"resolvConf\":{}", "ipam.resolvConf: {}"),
                new Edit("\"dataDir\"", "\"dataDir\":\"relative\",\"x\"", "ipam.dataDir: "),
                new Edit("\"dataDir\"", "\"dataDir\":5,\"x\"", "ipam.dataDir: 5"),
                new Edit(TYPE, "\"type\":\"host-locl\"", "ipam.type: \\\"host-locl\\\""),
                new Edit(TYPE, "\"type\":3", "ipam.type: 3"),
                new Edit(TYPE, "\"typ\":\"host-local\"", "ipam.type: missing"),
                new Edit("\"ipam\":{" + TYPE, "\"ipam\":\"host-local\",\"x\":{" + TYPE, "ipam: "),
                new Edit("\"ipam\":{" + TYPE, "\"ipam\":{},\"x\":{" + TYPE, ""),
                new Edit("\"ipam\":{" + TYPE, "\"x\":{" + TYPE, ""));
    }

    private static Edit added(String member, String refusal) {
        return new Edit(BRIDGE, BRIDGE + "," + member, refusal);
    }

    /** The configuration of the ADD; its folder of addresses is the default one. */
    static String before(TestNode node) {
        return node.gatewayConfig("1.1.0", "10.1.2.0/24", "fd00::/64")
                .replace("\"isDefaultGateway\"", "\"ipMasq\":true,\"macspoofchk\":true,\"isDefaultGateway\"");
    }

    @ParameterizedTest
    @MethodSource("edits")
    void takesAwayWhatWasAddedBeforeTheEdit(Edit edit) throws Exception {
        String edited = edit.of(before(node));
        succeeded(node.add(before(node), "dummy", netns));
        succeeded(node.add(before(node), "other", node.pod("other")));
        if (!edit.refusal().isEmpty()) {
            assertThat(node.add(edited, "refused", node.pod("refused")).stdout())
                    .contains(edit.refusal());
        }
        for (int i = 0; i < 2; i++) {
            CallOutcome deleted = node.del(edited, "dummy", netns);
            boolean again = i > 0 && edit.refusal().contains("host-locl"); // by now it could hold the address
            assertThat(deleted.exitCode()).as(deleted.stdout()).isEqualTo(again ? 1 : 0);
        }
        assertThat(node.hostLinks()).hasSize(3);
        assertThat(node.reserved()).containsExactly("10.1.2.3", "fd00::3");
        assertThat(node.net.nftState()).doesNotContain("dummy").contains("\"other-eth0 ", "/24 other-eth0");
    }

    @ParameterizedTest
    @MethodSource("edits")
    void collectsWhatWasAddedBeforeTheEdit(Edit edit) throws Exception {
        succeeded(node.add(before(node), "dummy", netns));
        succeeded(node.add(before(node), "valid", node.pod("valid")));
        String gc = edit.of(before(node))
                .replaceFirst(
                        "\\{", "{\"cni.dev/valid-attachments\":[{\"containerID\":\"valid\",\"ifname\":\"eth0\"}],");
        CallOutcome collected = node.call(gc, Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/"));
        assertThat(collected.exitCode())
                .as(collected.stdout())
                .isEqualTo(edit.refusal().contains("host-locl") ? 1 : 0);
        assertThat(node.hostLinks()).hasSize(3);
        assertThat(node.reserved()).containsExactly("10.1.2.3", "fd00::3");
        assertThat(node.net.nftState()).doesNotContain("dummy").contains("\"valid-eth0 ", "/24 valid-eth0");
    }

    @ParameterizedTest
    @MethodSource("versions")
    void takesAwayWhateverTheArgumentsAndTheVersionOfAddresses(String version, String arguments) throws Exception {
        succeeded(node.add(before(node), "dummy", netns));
        Map<String, String> environment = TestNode.environment("DEL", "dummy", netns);
        environment.put("CNI_ARGS", arguments);
        assertThat(node.call(before(node).replace("1.1.0", version), environment))
                .isEqualTo(new CallOutcome(0, "", ""));
        assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
        assertThat(node.reserved()).isEmpty();
    }

    static Stream<Arguments> versions() {
        return Stream.of("UNKNOWN=1", "MAC=nothing;IP=nowhere", "a=b=c", "")
                .flatMap(arguments ->
                        Stream.of("0.2.0", "0.4.0", "1.1.0").map(version -> Arguments.of(version, arguments)));
    }
}
