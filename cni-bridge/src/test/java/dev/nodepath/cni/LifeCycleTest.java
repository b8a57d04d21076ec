package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.syscall.Errno;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One attachment through its commands: ADD again, CHECK, GC, STATUS, chained results, DEL in odd circumstances. */
class LifeCycleTest extends FakeNodeTest {
    private String config = "";

    @BeforeEach
    void configure() {
        config = node.gatewayConfig("1.1.0", "10.1.2.0/24", "fd00::/64")
                .replace("\"isDefaultGateway\"", "\"ipMasq\":true,\"macspoofchk\":true,\"isDefaultGateway\"");
    }

    @Test
    void comesToTheSameWhenAnAddIsMadeAgain() throws Exception {
        CallOutcome first = succeeded(node.add(config, "dummy", netns));
        String host = state();
        String pod = node.state("pod");
        assertThat(node.add(config, "dummy", netns)).isEqualTo(first);
        assertThat(state()).isEqualTo(host);
        assertThat(node.state("pod")).isEqualTo(pod);
    }

    @Test
    void mendsWhatIsMissingWhenAnAddIsMadeAgain() throws Exception {
        CallOutcome first = succeeded(node.add(config, "dummy", netns));
        String host = state();
        String pod = node.state("pod");
        try (NetworkNamespace inside = node.net.openNamed("pod");
                NetworkNamespace outside = node.net.current()) {
            Link eth0 = inside.link("eth0").orElseThrow();
            inside.deleteRoute(Route.defaultVia(IpAddress.parse("10.1.2.1"), eth0.index()));
            inside.deleteAddress(eth0.index(), Cidr.parse("fd00::2/64"));
            inside.addAddress(eth0.index(), Cidr.parse("10.7.7.7/24"));
            outside.setMaster(eth0.peerIndex(), 0);
            outside.setAlias(eth0.peerIndex(), "");
            outside.deleteAddress(outside.link("bridge0").orElseThrow().index(), Cidr.parse("10.1.2.1/24"));
        }
        assertThat(node.add(config, "dummy", netns)).isEqualTo(first);
        assertThat(sorted(state())).isEqualTo(sorted(host));
        assertThat(sorted(node.state("pod"))).isEqualTo(sorted(pod));
    }

    @Test
    void refusesAnAttachmentThatIsInAnotherNamespace() throws Exception {
        succeeded(node.add(config, "dummy", netns));
        String other = node.pod("other");
        String host = state();
        String pod = node.state("pod");
        assertThat(node.add(config, "dummy", other).stdout())
                .contains("container \\\"dummy\\\" has its link of network \\\"testConfig\\\" in another namespace");
        assertThat(state()).isEqualTo(host);
        assertThat(node.state("pod")).isEqualTo(pod);
    }

    /** The container's namespace was removed and made again, or its process number is another container's now. */
    @ParameterizedTest
    @ValueSource(strings = {"empty", "wired", "wired by others"})
    void freesWhatTheContainerOwnsWhateverThePathLeadsTo(String what) throws Exception {
        succeeded(node.add(config, "dummy", netns));
        String other = node.pod("other");
        if (what.equals("wired")) {
            succeeded(node.add(config, "other", other));
        } else if (what.equals("wired by others")) {
            try (NetworkNamespace inside = node.net.openNamed("other");
                    NetworkNamespace outside = node.net.current()) {
                inside.createVeth(new VethSpec("eth0", Optional.empty(), "veth0", outside, Optional.empty()));
                inside.addAddress(inside.link("eth0").orElseThrow().index(), Cidr.parse("10.1.2.77/24"));
            }
        }
        String untouched = node.state("other");
        for (int i = 0; i < 2; i++) {
            succeeded(node.del(config, "dummy", other));
            assertThat(node.state("other")).isEqualTo(untouched);
            try (NetworkNamespace pod = node.net.openNamed("pod")) {
                assertThat(pod.link("eth0")).isEmpty();
            }
            assertThat(node.net.nftState()).doesNotContain("dummy");
            assertThat(node.reserved()).hasSize(what.equals("wired") ? 2 : 0);
        }
        if (what.equals("wired")) {
            assertThat(node.net.nftState()).contains("10.1.2.3/24 other-eth0", "\"other-eth0 ");
        }
    }

    /** The sign that another program made the link for this container. */
    @ParameterizedTest
    @CsvSource({"10.1.2.2/24, , true", "10.1.2.9/24, , false", "10.1.2.9/24, same, true", "10.1.2.2/24, other, false"})
    void removesALinkThatAnotherProgramMadeIfItIsTheContainers(String address, String mac, boolean removed)
            throws Exception {
        Path folder = Files.createDirectories(dataDir.resolve(TestNode.NETWORK));
        Files.writeString(folder.resolve("10.1.2.2"), "dummy\r\neth0");
        String told;
        try (NetworkNamespace inside = node.net.openNamed("pod");
                NetworkNamespace outside = node.net.current()) {
            Link eth0 = inside.createVeth(new VethSpec("eth0", Optional.empty(), "veth0", outside, Optional.empty()));
            inside.addAddress(eth0.index(), Cidr.parse(address));
            told = "same".equals(mac) ? eth0.mac().orElseThrow().toString() : "02:00:00:00:00:77";
        }
        String given = mac == null
                ? config
                : config.replaceFirst(
                        "\\{",
                        "{\"prevResult\":{\"cniVersion\":\"1.1.0\",\"interfaces\":[{\"name\":\"eth0\",\"mac\":\"" + told
                                + "\",\"sandbox\":\"" + netns + "\"}]},");
        CallOutcome outcome = succeeded(node.del(given, "dummy", netns));
        assertThat(outcome.stderr().contains("eth0 in CNI_NETNS not removed")).isEqualTo(!removed);
        try (NetworkNamespace inside = node.net.openNamed("pod")) {
            assertThat(inside.link("eth0").isEmpty()).isEqualTo(removed);
        }
        assertThat(node.reserved()).isEmpty();
    }

    /** No runtime knows a link without an alias: its ADD was killed. */
    @Test
    void takesAnAttachmentOverFromAnAddThatWasKilledInAnotherNamespace() throws Exception {
        succeeded(node.add(config, "dummy", netns));
        try (NetworkNamespace inside = node.net.openNamed("pod");
                NetworkNamespace outside = node.net.current()) {
            outside.setAlias(inside.link("eth0").orElseThrow().peerIndex(), "");
        }
        succeeded(node.add(config, "dummy", node.pod("other")));
        try (NetworkNamespace pod = node.net.openNamed("pod");
                NetworkNamespace other = node.net.openNamed("other")) {
            assertThat(pod.link("eth0")).isEmpty();
            assertThat(node.addressesOf(other, "eth0")).containsExactly("10.1.2.2/24", "fd00::2/64");
        }
        assertThat(node.reserved()).hasSize(2);
        assertThat(node.hostLinks()).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/run/netns/missing", "/run/netns/pod"})
    void freesLinksAddressesAndRulesAlsoWithoutANamespace(String given) throws Exception {
        succeeded(node.add(config, "dummy", netns));
        assertThat(node.net.nftState()).contains("dummy");
        succeeded(node.del(config, "dummy", given));
        assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
        assertThat(node.reserved()).isEmpty();
        assertThat(node.net.nftState()).doesNotContain("dummy");
    }

    /** A loop of links, a socket, a name that is too long, another user's process. */
    @ParameterizedTest
    @EnumSource(names = {"ELOOP", "ENXIO", "ENAMETOOLONG", "EACCES"})
    void freesAllWhenThePathCannotBeOpened(Errno problem) throws Exception {
        succeeded(node.add(config, "dummy", netns));
        node.net.delete("pod");
        node.net.failNext("open", problem);
        assertThat(node.del(config, "dummy", netns)).isEqualTo(new CallOutcome(0, "", ""));
        assertThat(node.reserved()).isEmpty();
        assertThat(node.net.nftState()).doesNotContain("dummy");
    }

    /** A link that another program made may be there. */
    @Test
    void failsWhenNoDescriptorIsLeftToLookIntoTheNamespace() throws Exception {
        node.net.failNext("open", Errno.EMFILE);
        assertError(node.del(config, "dummy", netns), "open " + netns + ": EMFILE");
    }

    @Test
    void freesAllWhenThePathLeadsToTheNodesOwnNamespace() throws Exception {
        succeeded(node.add(config, "dummy", netns));
        assertThat(node.del(config, "dummy", "/proc/self/ns/net")).isEqualTo(new CallOutcome(0, "", ""));
        assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
        assertThat(node.reserved()).isEmpty();
        assertError(
                node.add(config, "dummy", "/proc/self/ns/net"), "plugin's netns and netns from CNI_NETNS should not");
    }

    @Test
    void leavesTheLinkOfAnotherAttachmentAlone() throws Exception {
        succeeded(node.add(config, "dummy", netns));
        String before = node.state("pod");
        assertThat(node.add(config, "other", netns).exitCode()).isEqualTo(1);
        succeeded(node.del(config, "other", netns));
        assertThat(node.state("pod")).isEqualTo(before);
        assertThat(node.reserved()).containsExactly("10.1.2.2", "fd00::2");
    }

    /** Its link's alias does not tell it by more than a hash. */
    @Test
    void leavesTheLinkOfAnotherAttachmentWithALongNameAlone() throws Exception {
        succeeded(node.add(config, "d".repeat(250), netns));
        String before = node.state("pod");
        assertThat(node.add(config, "other", netns).exitCode()).isEqualTo(1);
        succeeded(node.del(config, "other", netns));
        assertThat(node.state("pod")).isEqualTo(before);
    }

    @Test
    void deletesTheSameAttachmentInParallel() throws Exception {
        succeeded(node.add(config, "dummy", netns));
        List<Callable<CallOutcome>> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            calls.add(() -> node.del(config, "dummy", netns));
        }
        ExecutorService threads = Executors.newFixedThreadPool(calls.size());
        try {
            for (Future<CallOutcome> outcome : threads.invokeAll(calls)) {
                assertThat(outcome.get()).isEqualTo(new CallOutcome(0, "", ""));
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(node.reserved()).isEmpty();
    }

    @Test
    void checksWhatAnAddMade() throws Exception {
        String result = succeeded(node.add(config, "dummy", netns)).stdout().strip();
        String checked = config.substring(0, config.length() - 1) + ",\"prevResult\":" + result + "}";
        assertThat(check(checked)).isEqualTo(new CallOutcome(0, "", ""));
        assertError(check(config), "Required prevResult missing");
        assertError(check(checked.replace("10.1.2.2/24", "10.1.2.9/24")), "address 10.1.2.9/24 of eth0: missing");
        assertError(
                check(checked.replace("\"dst\":\"::/0\"", "\"dst\":\"fd09::/64\"")),
                "route fd09::/64 of eth0: missing");
        assertError(check(checked.replace("\"sandbox\":\"", "\"sandbox\":\"/x")), "CNI_NETNS: ");
        assertError(check(checked.replace("\"name\":\"eth0\"", "\"name\":\"eth9\"")), "interface eth0 in prevResult");
        try (NetworkNamespace host = node.net.current();
                NetworkNamespace pod = node.net.openNamed("pod")) {
            int port = pod.link("eth0").orElseThrow().peerIndex();
            int bridge = host.link("bridge0").orElseThrow().index();
            host.setHairpin(port, true);
            assertError(check(checked), "hairpin mode and isolation of veth");
            host.setMaster(port, 0);
            assertError(check(checked), "bridge of veth");
            host.setMaster(port, bridge);
            assertThat(check(checked).exitCode()).isZero();
            host.setPromiscuous(bridge, true);
            assertError(check(checked), "promiscuous mode of bridge0: true (expected: false)");
        }
        Files.delete(dataDir.resolve(TestNode.NETWORK).resolve("10.1.2.2"));
        Files.delete(dataDir.resolve(TestNode.NETWORK).resolve("fd00::2"));
        assertError(check(checked), "host-local: Failed to find address added by container dummy");
    }

    /** A result of these versions does not tell the table. */
    @ParameterizedTest
    @ValueSource(strings = {"0.4.0", "1.0.0", "1.1.0"})
    void checksRoutesOfTheMainTableOnly(String version) throws Exception {
        String routes = "\"routes\":[{\"dst\":\"10.8.0.0/16\",\"table\":100},"
                + "{\"dst\":\"10.9.0.0/16\",\"gw\":\"10.1.2.1\",\"table\":100},{\"dst\":\"10.7.0.0/16\"}],\"ranges\"";
        String routed = config.replace("1.1.0", version).replace("\"ranges\"", routes);
        String result = succeeded(node.add(routed, "dummy", netns)).stdout().strip();
        String checked = routed.replaceFirst("}$", ",\"prevResult\":" + result + "}");
        assertThat(check(checked)).isEqualTo(new CallOutcome(0, "", ""));
        try (NetworkNamespace pod = node.net.openNamed("pod")) {
            pod.deleteRoute(new Route(
                    Cidr.parse("10.7.0.0/16"),
                    Optional.of(IpAddress.parse("10.1.2.1")),
                    pod.link("eth0").orElseThrow().index()));
        }
        assertError(check(checked), "route 10.7.0.0/16 of eth0: missing");
    }

    @Test
    void checksOfAChainOnlyWhatIsItsOwn() throws Exception {
        String first = "{\"cniVersion\":\"1.1.0\",\"interfaces\":[{\"name\":\"net0\",\"sandbox\":\"" + netns + "\"}],"
                + "\"ips\":[{\"interface\":0,\"address\":\"10.77.0.5/24\"}],"
                + "\"routes\":[{\"dst\":\"10.78.0.0/16\",\"gw\":\"10.77.0.1\"}]}";
        String chained = config.substring(0, config.length() - 1) + ",\"prevResult\":";
        String result = succeeded(node.add(chained + first + "}", "dummy", netns))
                .stdout()
                .strip();
        assertThat(check(chained + result + "}")).isEqualTo(new CallOutcome(0, "", ""));
        String untold = result.replace("\"interface\":3", "\"interface\":-1");
        assertThat(check(chained + untold + "}")).isEqualTo(new CallOutcome(0, "", ""));
        assertError(
                check(chained + untold.replace("10.1.2.2/24", "10.1.2.9/24") + "}"),
                "address 10.1.2.9/24 of eth0: missing");
        String empty = result.replaceAll("\"interface\":[0-9]", "\"interface\":0")
                .replaceAll("\"interfaces\":\\[.*?]", "\"interfaces\":[]");
        assertError(check(chained + empty + "}"), "interface eth0 in prevResult: missing");
    }

    @Test
    void removesWhatBelongsToNoValidAttachment() throws Exception {
        for (String container : List.of("a", "b", "c")) {
            succeeded(node.add(config, container, node.pod(container)));
        }
        String other = config.replace(TestNode.NETWORK, "another")
                .replace("10.1.2.0", "10.8.0.0")
                .replace("fd00", "fd08")
                .replace("bridge0", "bridge8");
        succeeded(node.add(other, "a", node.pod("elsewhere")));
        String gc = config.substring(0, config.length() - 1)
                + ",\"cni.dev/valid-attachments\":[{\"containerID\":\"b\",\"ifname\":\"eth0\"}]}";
        assertThat(gc(gc)).isEqualTo(new CallOutcome(0, "", ""));
        assertThat(gc(gc)).isEqualTo(new CallOutcome(0, "", ""));
        assertThat(node.reserved()).containsExactlyInAnyOrder("10.1.2.3", "fd00::3", "10.8.0.2", "fd08::2");
        assertThat(node.hostLinks()).hasSize(5);
        assertThat(node.net.nftState()).contains("\"b-eth0 ").doesNotContain("c-eth0");
        assertThat(node.net.nftState()).contains("network-" + TestNode.NETWORK, "network-another");
        for (int i = 0; i < 2; i++) {
            assertThat(gc(gc.replace("[{\"containerID\":\"b\",\"ifname\":\"eth0\"}]", "null")))
                    .isEqualTo(new CallOutcome(0, "", ""));
        }
        assertThat(node.net.nftState()).contains("network-another").doesNotContain("network-" + TestNode.NETWORK);
        assertThat(node.reserved()).containsExactlyInAnyOrder("10.8.0.2", "fd08::2");
    }

    @Test
    void removesTheRulesOfAttachmentsOfWhichNothingElseIsLeft() throws Exception {
        String bare = node.config("1.1.0", "\"macspoofchk\":true");
        for (String container : List.of("gone", "valid")) {
            succeeded(node.add(bare, container, node.pod(container)));
        }
        succeeded(node.add(bare.replace(TestNode.NETWORK, "another"), "others", node.pod("others")));
        node.net.delete("gone");
        node.net.delete("others");
        String gc = bare.substring(0, bare.length() - 1)
                + ",\"cni.dev/valid-attachments\":[{\"containerID\":\"valid\",\"ifname\":\"eth0\"}]}";
        assertThat(gc(gc)).isEqualTo(new CallOutcome(0, "", ""));
        assertThat(node.net.nftState())
                .contains("\"valid-eth0 ", "\"others-eth0 ")
                .doesNotContain("gone");
    }

    @Test
    void removesTheLinksOfANetworkWithALongName() throws Exception {
        String bare = node.config("1.1.0", "").replace(TestNode.NETWORK, "n".repeat(200));
        succeeded(node.add(bare, "a".repeat(64), netns));
        assertThat(node.hostLinks()).hasSize(3);
        String gc = bare.substring(0, bare.length() - 1) + ",\"cni.dev/valid-attachments\":[]}";
        assertThat(gc(gc.replace("nnn\"", "nnm\""))).isEqualTo(new CallOutcome(0, "", ""));
        assertThat(node.hostLinks()).hasSize(3);
        assertThat(gc(gc)).isEqualTo(new CallOutcome(0, "", ""));
        assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
    }

    @Test
    void saysAheadThatAnAddCannotSucceed() throws Exception {
        assertThat(node.call(config, Map.of("CNI_COMMAND", "STATUS", "CNI_PATH", "/")))
                .isEqualTo(new CallOutcome(0, "", ""));
        Files.createFile(dataDir.resolve(TestNode.NETWORK));
        CallOutcome unavailable = node.call(config, Map.of("CNI_COMMAND", "STATUS", "CNI_PATH", "/"));
        assertThat(unavailable.stdout()).contains("\"code\":50,\"msg\":\"ipam.dataDir: ");
        Files.delete(dataDir.resolve(TestNode.NETWORK));
        node.net.failNext("sysctl", Errno.ENOENT);
        String asking = config.replace("\"bridge\":", "\"bridgeNetfilter\":true,\"bridge\":");
        assertThat(node.call(asking, Map.of("CNI_COMMAND", "STATUS", "CNI_PATH", "/"))
                        .stdout())
                .contains(
                        "\"code\":50,\"msg\":\"the kernel's module br_netfilter is not loaded",
                        "modprobe br_netfilter");
    }

    @Test
    void repeatsTheResultsOfThePluginsBeforeIt() throws Exception {
        String previous =
                "{\"cniVersion\":\"1.1.0\",\"interfaces\":[{\"name\":\"net9\",\"mtu\":9000,\"sandbox\":\"/s\"}],"
                        + "\"ips\":[{\"interface\":0,\"address\":\"192.168.9.9/24\"}],"
                        + "\"routes\":[{\"dst\":\"192.168.0.0/16\",\"mtu\":1400,\"table\":100,\"scope\":0}],"
                        + "\"dns\":{\"nameservers\":[\"9.9.9.9\"]}}";
        String chained = config.substring(0, config.length() - 1) + ",\"prevResult\":" + previous + "}";
        assertThat(succeeded(node.add(chained, "dummy", netns)).stdout())
                .startsWith(
                        "{\"cniVersion\":\"1.1.0\",\"interfaces\":[{\"name\":\"net9\",\"mtu\":9000,\"sandbox\":\"/s\"},"
                                + "{\"name\":\"bridge0\"")
                .contains("\"ips\":[{\"interface\":0,\"address\":\"192.168.9.9/24\"},{\"interface\":3,")
                .contains("\"routes\":[{\"dst\":\"192.168.0.0/16\",\"mtu\":1400,\"table\":100,\"scope\":0},")
                .contains("\"dns\":{\"nameservers\":[\"9.9.9.9\"]}");
        CallOutcome refused = node.add(chained.replace("192.168.9.9/24", "192.168.9.9"), "second", node.pod("second"));
        assertError(refused, "prevResult.ips[0].address: \\\"192.168.9.9\\\" (expected: ADDRESS/PREFIX-LENGTH)");
    }

    private CallOutcome check(String json) {
        return node.call(json, TestNode.environment("CHECK", "dummy", netns));
    }

    private CallOutcome gc(String json) {
        return node.call(json, Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/"));
    }

    private String state() throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            return TestNode.state(host) + "\n" + node.net.nftState();
        }
    }

    /** Addresses and routes that were made again stand in another order. */
    private static List<String> sorted(String state) {
        return List.of(state.split("(?=(?:Link|InterfaceAddress|Route)\\[)|\n", -1)).stream()
                .map(part -> part.replaceAll("[], ]+$", ""))
                .sorted()
                .toList();
    }

    private static void assertError(CallOutcome outcome, String message) {
        assertThat(outcome.stdout()).contains("\"msg\":\"" + message);
        assertThat(outcome.exitCode()).isEqualTo(1);
    }
}
