package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.syscall.Errno;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The links of the node that must ignore routers, and failures that this must not cause. */
class RouterAdvertisementTest extends FakeNodeTest {
    private static final String BRIDGE_SETTING = "net/ipv6/conf/bridge0/accept_ra";
    private static final String VALID = "{\"cni.dev/valid-attachments\":[],";

    @ParameterizedTest
    @CsvSource({"DEL, uplink", "DEL, all", "DEL, default", "GC, uplink", "GC, all", "GC, default"})
    void aRemovalThatNamesNoBridgeChangesNoSetting(String command, String name) throws Exception {
        try (NetworkNamespace host = node.net.current();
                NetworkNamespace pod = node.net.openNamed("pod")) {
            host.createVeth(new VethSpec("uplink", Optional.empty(), "far", pod, Optional.empty()));
            succeeded(remove(command, config("").replace("bridge0", name)));
            assertThat(host.sysctl("net/ipv6/conf/" + name + "/accept_ra")).isEqualTo("1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"DEL", "GC"})
    void aRemovalGoesOnWhereTheSettingCannotBeWritten(String command) throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            succeeded(node.add(config(""), "dummy", netns));
            host.setSysctl(BRIDGE_SETTING, "1");
            node.net.failNext("setSysctls", Errno.EROFS);
            CallOutcome removed = succeeded(remove(command, config("")));
            assertThat(removed.stderr()).contains("bridge still accepts router advertisements: ", "EROFS");
            assertThat(node.reserved()).isEmpty();
            assertThat(remove(command, config(""))).isEqualTo(new CallOutcome(0, "", ""));
            assertThat(host.sysctl(BRIDGE_SETTING)).isEqualTo("0");
            node.net.failNext("setSysctls", Errno.EROFS);
            assertThat(remove(command, config(""))).isEqualTo(new CallOutcome(0, "", ""));
            node.net.stopFailing();
        }
    }

    @Test
    void aCollectionWithAProblemGoesOnWithTheSettingAndTheEmptyBridge() throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            succeeded(node.add(config(""), "dummy", netns));
            host.setSysctl(BRIDGE_SETTING, "1");
            node.net.failNext("nftRules", Errno.EPERM);
            assertThat(remove("GC", config("")).stdout()).contains("nftRules", "EPERM");
            assertThat(host.sysctl(BRIDGE_SETTING)).isEqualTo("0");
            node.net.failNext("nftRules", Errno.EPERM);
            assertThat(remove("GC", config("\"prune\":true,")).stdout()).contains("EPERM");
            assertThat(node.hostLinks()).containsExactly("lo");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "false | bridge0.7 | ``                            | 0",
                "false | person7   | ``                            | 0",
                "true  | bridge0.7 | \"vlan\":7,                   | 0",
                "true  | bridge0.7 | \"vlanTrunk\":[{\"id\":7}],   | 0",
                "true  | person7   | \"vlan\":8,                   | 0",
                "true  | bridge0.x | \"vlan\":8,                   | 0",
                "true  | bridge0.7 | \"vlan\":8,                   | 1",
                "true  | bridge0.7 | ``                            | 1",
            },
            quoteCharacter = '`')
    void linksOnTheBridgeThatHearTheContainerListenToNoRouter(
            boolean filtering, String name, String members, String expected) throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            host.createBridge(new BridgeSpec("bridge0", Optional.empty(), Optional.empty(), false, filtering));
            node.net.addVlanLink(name, "bridge0");
            String added = succeeded(node.add(config(members), "dummy", netns)).stdout();
            String setting = "net/ipv6/conf/" + name + "/accept_ra";
            assertThat(host.sysctl(setting)).isEqualTo(expected);
            host.setSysctl(setting, "1");
            String checked = config(members).replaceFirst("}$", ",\"prevResult\":" + added + "}");
            String told = node.call(checked, TestNode.environment("CHECK", "dummy", netns))
                    .stdout();
            assertThat(told.contains(setting + ": 1 (expected: 0)")).as(told).isEqualTo(expected.equals("0"));
        }
    }

    private CallOutcome remove(String command, String config) {
        return command.equals("GC")
                ? node.call(config.replaceFirst("\\{", VALID), Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/"))
                : node.del(config, "dummy", netns);
    }

    private String config(String members) {
        return node.gatewayConfig("1.1.0", "10.1.2.0/24")
                .replace("\"isDefaultGateway\":true,", members + "\"macspoofchk\":true,");
    }
}
