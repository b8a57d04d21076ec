package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The allowed environment and configuration, and the error object for everything else. */
class ProtocolTest {
    @TempDir
    Path dataDir;

    private TestNode node = new TestNode(Path.of(""));

    @BeforeEach
    void newNode() throws Exception {
        node = new TestNode(dataDir);
        assertThat(node.pod("pod")).isEqualTo("/run/netns/pod");
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        assertThat(node.hostLinks()).containsExactly("lo");
        assertThat(node.reserved()).isEmpty();
        assertThat(node.net.openHandles()).isZero();
        assertThat(node.locks.areFree()).isTrue();
    }

    @ParameterizedTest(name = "{0} without {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "ADD|CNI_CONTAINERID|CNI_CONTAINERID",
                "ADD|CNI_NETNS|CNI_NETNS",
                "ADD|CNI_IFNAME|CNI_IFNAME",
                "ADD|CNI_PATH|CNI_PATH",
                "ADD|CNI_PATH CNI_IFNAME CNI_NETNS CNI_CONTAINERID|CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME,CNI_PATH",
                "CHECK|CNI_NETNS CNI_IFNAME|CNI_NETNS,CNI_IFNAME",
                "DEL|CNI_NETNS CNI_CONTAINERID CNI_IFNAME|CNI_CONTAINERID,CNI_IFNAME",
                "GC|CNI_NETNS CNI_CONTAINERID CNI_IFNAME CNI_PATH|CNI_PATH",
                "STATUS|CNI_NETNS CNI_CONTAINERID CNI_IFNAME CNI_PATH|CNI_PATH",
            })
    void namesAllMissingVariablesAtOnce(String command, String removed, String missing) {
        Map<String, String> environment = TestNode.environment(command, "dummy", "/run/netns/pod");
        for (String name : removed.split(" ", -1)) {
            environment.remove(name);
        }
        assertThat(node.call(node.config("1.1.0", ""), environment).stdout())
                .isEqualTo("{\"cniVersion\":\"1.1.0\",\"code\":4,\"msg\":\"required env variables [" + missing
                        + "] missing\"}\n");
    }

    @ParameterizedTest(name = "{0}={1}: {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "CNI_COMMAND|FROB|unknown CNI_COMMAND: FROB",
                "CNI_COMMAND|add|unknown CNI_COMMAND: add",
                "CNI_CONTAINERID|../etc|invalid characters in containerID",
                "CNI_CONTAINERID|-x|invalid characters in containerID",
                "CNI_CONTAINERID|a b|invalid characters in containerID",
                "CNI_IFNAME|..|invalid interface name",
                "CNI_IFNAME|.|invalid interface name",
                "CNI_IFNAME|a/b|invalid interface name",
                "CNI_IFNAME|a:b|invalid interface name",
                "CNI_IFNAME|a b|invalid interface name",
                "CNI_IFNAME|sixteenletters16|invalid interface name",
                "CNI_ARGS|K|CNI_ARGS: invalid pair \\\"K\\\" (expected: KEY=VALUE)",
                "CNI_ARGS|IgnoreUnknown=1;A=B=C|CNI_ARGS: invalid pair \\\"A=B=C\\\" (expected: KEY=VALUE)",
                "CNI_ARGS|FOO=1|CNI_ARGS: unknown key \\\"FOO\\\"",
                "CNI_ARGS|IgnoreUnknown=0;FOO=1|CNI_ARGS: unknown key \\\"FOO\\\"",
                "CNI_ARGS|IgnoreUnknown=yes|CNI_ARGS: IgnoreUnknown=yes (expected: 1, true, 0 or false)",
            })
    void refusesBadVariablesWithCode4(String name, String value, String message) {
        Map<String, String> environment = TestNode.environment("ADD", "dummy", "/run/netns/pod");
        environment.put(name, value);
        CallOutcome outcome = node.call(node.config("1.0.0", ""), environment);
        assertError(outcome, 4, message);
    }

    @ParameterizedTest(name = "{0}: {1} {2}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "|6|network configuration: expected a JSON object",
                "[]|6|network configuration: expected a JSON object",
                "{|6|network configuration: Unexpected end-of-input",
                "{\"name\":\"n\"} x|6|network configuration: ",
                "{\"name\":\"n\"}{}|6|network configuration: unexpected text after the JSON object",
                "{\"name\":}|6|network configuration: not JSON at line 1, column 9 (expected: a JSON object)",
                "{\"name\":NaN}|6|network configuration: not JSON at line 1, column ",
                "{\"name\":01}|6|network configuration: not JSON at line 1, column ",
                "{\"name\":+1}|6|network configuration: not JSON at line 1, column ",
                "{/* */\"name\":1}|6|network configuration: not JSON at line 1, column ",
                "{\"name\":\"\u0007\"}|6|network configuration: not JSON at line 1, column ",
                "{}|7|missing network name",
                "{\"name\":\"\"}|7|missing network name",
                "{\"name\":\"a/b\"}|7|invalid characters found in network name",
                "{\"name\":5}|7|name: 5 (expected: a string)",
                "{\"name\":\"n\",\"cniVersion\":\"9.9\"}|1|incompatible CNI versions",
                "{\"name\":\"n\",\"cniVersion\":\"1.0\"}|1|incompatible CNI versions",
                "{\"name\":\"n\",\"mtu\":40}|7|mtu: 40 (expected: 0 for the default, or 68 to 65535)",
                "{\"name\":\"n\",\"mtu\":-1}|7|mtu: -1 (expected: 0 for the default, or 68 to 65535)",
                "{\"name\":\"n\",\"mtu\":\"big\"}|7|mtu: \\\"big\\\" (expected: an integer)",
                "{\"name\":\"n\",\"mtu\":1.5}|7|mtu: 1.5 (expected: an integer)",
                "{\"name\":\"n\",\"mtu\":99999999999999999999}|7|mtu: 99999999999999999999 (expected: an integer)",
                "{\"name\":\"n\",\"bridge\":\"a/b\"}|7|bridge: \\\"a/b\\\" (expected: ",
                "{\"name\":\"n\",\"isGateway\":\"true\"}|7|isGateway: \\\"true\\\" (expected: true or false)",
                "{\"name\":\"n\",\"dns\":{\"search\":\"x\"}}|7|dns.search: \\\"x\\\" (expected: a list)",
                "{\"name\":\"n\",\"ipam\":[]}|7|ipam: [] (expected: an object)",
                "{\"name\":\"n\",\"ipam\":{\"type\":\"none-such\"}}|7|ipam.type: \\\"none-such\\\" (expected: host-local, or",
                "{\"name\":\"n\",\"ipam\":{\"subnet\":\"10.0.0.0/24\"}}|7|ipam.type: missing",
                "{\"name\":\"n\",\"ipam\":{\"type\":\"host-local\"}}|7|ipam: no IP ranges specified",
                "{\"name\":\"n\"}|7|cannot convert: no valid IP addresses",
            })
    void refusesBadConfigurationsWithTheirOwnCodes(String config, int code, String message) {
        assertError(node.add(config == null ? "" : config, "dummy", "/run/netns/pod"), code, message);
    }

    @ParameterizedTest(name = "ipam with {0}: {1}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "'subnet':'10.1.2'|ipam.subnet: \\\"10.1.2\\\" (expected: ADDRESS/PREFIX-LENGTH)",
                "'subnet':'10.1.2.3/24'|ipam: Network has host bits set",
                "'subnet':'10.1.2.0/31'|ipam: Network 10.1.2.0/31 too small to allocate from",
                "'subnet':'10.1.2.0/24','rangeEnd':'10.1.3.1'|ipam: RangeEnd 10.1.3.1 not in network 10.1.2.0/24",
                "'subnet':'10.1.2.0/24','gateway':'x'|ipam.gateway: \\\"x\\\" (expected: an IPv4 or IPv6 address)",
                "'ranges':[[{'subnet':7}]]|ipam.ranges[0][0].subnet: 7 (expected: a string)",
                "'ranges':[[{}]]|ipam.ranges[0][0].subnet: null (expected: ADDRESS/PREFIX-LENGTH)",
                "'ranges':[[]]|ipam.ranges[0]: empty range set",
                "'ranges':[{}]|ipam.ranges[0]: {} (expected: a list)",
                "'ranges':[null]|ipam.ranges[0]: null (expected: a list)",
                "'ranges':[[{'subnet':'10.0.0.0/24'},{'subnet':'fd00::/64'}]]|ipam.ranges[0]: mixed address families",
                "'ranges':[[{'subnet':'10.0.0.0/24'}],[{'subnet':'10.0.0.0/16'}]]|ipam: range set 0 overlaps with 1",
                "'subnet':'10.0.0.0/24','routes':[{}]|ipam.routes[0].dst: null (expected: ADDRESS/PREFIX-LENGTH)",
                "'subnet':'10.0.0.0/24','routes':[{'dst':'10.9.0.1/8'}]|ipam.routes[0].dst: \\\"10.9.0.1/8\\\"",
                "'subnet':'10.0.0.0/24','routes':[{'dst':'0.0.0.0/0','gw':'fd00::1'}]|ipam.routes[0].gw: "
                        + "\\\"fd00::1\\\" (expected: an address of the family of dst)",
                "'subnet':'10.0.0.0/24','dataDir':'relative'|ipam.dataDir: \\\"relative\\\" (expected: an absolute path)",
            })
    void namesTheFieldOfABadAddressSection(String members, String message) {
        String config = node.config(
                "1.0.0", ("'ipam':{'type':'host-local','dataDir':'DATADIR'," + members + "}").replace('\'', '"'));
        assertError(node.add(config, "dummy", "/run/netns/pod"), 7, message);
    }

    @Test
    void refusesMoreThanOneAddressPerFamilyInTheOldShape() {
        String config = node.gatewayConfig("0.2.0", "fd00::/64", "2001:db8::/64");
        assertError(
                node.add(config, "dummy", "/run/netns/pod"),
                7,
                "CNI version 0.2.0 does not support more than 1 address per family");
    }

    @Test
    void refusesConfigurationsBeyondTheLimit() {
        String config = node.config("1.0.0", "\"x\":\"" + "y".repeat(Invocation.CONFIG_BYTES_MAX) + "\"");
        assertError(node.add(config, "dummy", "/run/netns/pod"), 7, "network configuration: longer than 1048576 bytes");
        assertError(node.add("{\"a\":".repeat(100_000), "dummy", "/run/netns/pod"), 6, "network configuration: ");
    }

    @ParameterizedTest
    @CsvSource({
        "CHECK, 0.3.1, 1, config version does not allow CHECK",
        "GC, 1.0.0, 1, config version does not allow GC",
        "STATUS, 1.0.0, 1, config version does not allow STATUS",
        "GC, 1.1.0, 7, cni.dev/valid-attachments: null (expected: a list of attachments)",
        "CHECK, 1.1.0, 7, Required prevResult missing",
    })
    void refusesCommandsThatTheConfigurationDoesNotAllow(String command, String version, int code, String message) {
        Map<String, String> environment = TestNode.environment(command, "dummy", "/run/netns/pod");
        assertError(node.call(node.config(version, ""), environment), code, message);
    }

    @Test
    void refusesItsOwnNamespaceAsThatOfAContainer() {
        for (String command : new String[] {"ADD", "CHECK"}) {
            Map<String, String> environment = TestNode.environment(command, "dummy", "/proc/self/ns/net");
            assertError(
                    node.call(node.config("1.0.0", ""), environment),
                    8,
                    "plugin's netns and netns from CNI_NETNS should not be the same");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/run/netns/missing", "/no/such/file", "relative", "\0"})
    void refusesANamespaceThatIsNone(String netns) {
        assertError(node.add(node.config("1.0.0", ""), "dummy", netns), 8, "failed to open netns ");
    }

    @Test
    void tellsItsVersionsWithoutReadingTheInput() throws IOException {
        InputStream unreadable = InputStream.nullInputStream();
        unreadable.close(); // reading it throws from here on
        Map<String, String> environment = Map.of("CNI_COMMAND", "VERSION");
        assertThat(node.invocation.run(environment, unreadable)).isEqualTo(new CallOutcome(0, """
                {"cniVersion":"1.1.0","supportedVersions":["0.1.0","0.2.0","0.3.0","0.3.1","0.4.0","1.0.0","1.1.0"]}
                """, ""));
    }

    @Test
    void introducesItselfWithoutACommand() {
        CallOutcome outcome = node.call("", Map.of());
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.stdout()).isEmpty();
        assertThat(outcome.stderr()).contains("nodepath-bridge", "0.1.0", "1.1.0");
    }

    private static void assertError(CallOutcome outcome, int code, String message) {
        assertThat(outcome.stdout())
                .startsWith("{\"cniVersion\":\"")
                .contains("\"code\":" + code + ",\"msg\":\"" + message)
                .endsWith("}\n");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.stderr()).isEmpty();
    }
}
