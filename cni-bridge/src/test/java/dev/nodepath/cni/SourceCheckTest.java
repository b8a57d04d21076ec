package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The elements of {@code ipspoofchk} and {@code macspoofchk} live with their attachments and with the setting. */
class SourceCheckTest extends FakeNodeTest {
    private static final String MAC_ALONE = "\"macspoofchk\":true";
    private static final String ADDRESSES = "\"ipspoofchk\":true";
    private static final int STEPS_MAX = 300;

    private String result = "";

    @BeforeEach
    void add() throws Exception {
        result = succeeded(node.add(config(ADDRESSES), "dummy", netns)).stdout().strip();
    }

    @Test
    void aContainerHasItsAddressesAndTheLinkLocalOneOfItsMac() throws Exception {
        assertThat(elements())
                .containsExactly(
                        "ipv4 " + source() + " . 10.1.2.2",
                        "ipv6 " + source() + " . fd00::2",
                        "ipv6 " + source() + " . " + mac().linkLocal(),
                        "ports " + port() + " comment \"dummy-eth0 "
                                + identity().networkHash() + "\" : goto address");
        assertThat(check(ADDRESSES)).isEqualTo(new CallOutcome(0, "", ""));
    }

    @Test
    void askingWhetherTheKernelCanChangesNothing() throws Exception {
        String before = node.net.nftState();
        assertThat(SourceTable.problem(node.net::nftTables)).isEmpty();
        assertThat(node.net.nftState()).isEqualTo(before);
    }

    @Test
    void anAddMadeAgainFollowsTheSetting() throws Exception {
        List<String> addresses = elements();
        succeeded(node.add(config(MAC_ALONE), "dummy", netns));
        assertThat(elements())
                .containsExactly(
                        "macs " + source(),
                        "ports " + port() + " comment \"dummy-eth0 "
                                + identity().networkHash() + "\" : goto mac");
        assertThat(check(MAC_ALONE)).isEqualTo(new CallOutcome(0, "", ""));
        assertThat(check(ADDRESSES).stdout()).contains("rules of ipspoofchk for veth", "missing");
        succeeded(node.add(config(MAC_ALONE + "," + ADDRESSES), "dummy", netns));
        assertThat(elements()).isEqualTo(addresses);
        assertThat(check(MAC_ALONE).stdout()).contains("rules of macspoofchk for veth", "missing");
        succeeded(node.add(config("\"ipspoofchk\":false"), "dummy", netns));
        assertThat(elements()).isEmpty();
        assertThat(check("\"ipspoofchk\":false")).isEqualTo(new CallOutcome(0, "", ""));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void whatIsMissingIsSeenByCheckAndMendedByAnotherAdd(int removed) throws Exception {
        List<String> before = elements();
        try (NetworkNamespace host = node.net.current()) {
            int number = 0;
            for (var set : SourceTable.SETS) {
                for (NftElement element : host.nftElements(set)) {
                    if (number++ == removed) {
                        host.nftApply(List.of(new NftChange.DeleteElements(set, List.of(element.key()))));
                    }
                }
            }
            assertThat(number).isEqualTo(4);
        }
        assertThat(check(ADDRESSES).stdout()).contains("rules of ipspoofchk for veth", "missing");
        succeeded(node.add(config(ADDRESSES), "dummy", netns));
        assertThat(elements()).isEqualTo(before);
    }

    /** As after {@code nft flush table}, which leaves the elements. */
    @Test
    void chainsWithoutRulesAreSeenByCheckAndMendedByAnotherAdd() throws Exception {
        String before = node.net.nftState();
        flushChains();
        assertThat(check(ADDRESSES).stdout()).contains("rules of ipspoofchk for veth", "missing");
        succeeded(node.add(config(ADDRESSES), "dummy", netns));
        assertThat(node.net.nftState()).isEqualTo(before);
    }

    @Test
    void anotherContainersAddMendsTheRules() throws Exception {
        flushChains();
        succeeded(node.add(config(ADDRESSES), "other", node.pod("other")));
        assertThat(check(ADDRESSES)).isEqualTo(new CallOutcome(0, "", ""));
    }

    @Test
    void theTableIsWrittenAnewForAllPodsOfTheNode() throws Exception {
        succeeded(node.add(config(ADDRESSES), "other", node.pod("other")));
        String before = node.net.nftState();
        CheckedSources sources = checkedSources();
        assertThat(sources.repair()).isFalse();
        flushChains();
        assertThat(sources.repair()).isTrue();
        assertThat(node.net.nftState()).isEqualTo(before);
        try (NetworkNamespace host = node.net.current()) {
            host.nftApply(List.of(new NftChange.DeleteTable(SourceTable.PORTS.table())));
        }
        assertThat(elements()).isEmpty();
        assertThat(sources.repair()).isTrue();
        assertThat(elements()).hasSize(8);
        assertThat(node.net.nftState()).isEqualTo(before);
        assertThat(check(ADDRESSES)).isEqualTo(new CallOutcome(0, "", ""));
        assertThat(sources.repair()).isFalse();
    }

    @Test
    void podsOfAnEarlierVersionAreCheckedToo() throws Exception {
        List<String> before = elements();
        succeeded(node.del(config(ADDRESSES), "dummy", netns));
        result = succeeded(node.add(config(""), "dummy", netns)).stdout().strip();
        assertThat(elements()).isEmpty();
        assertThat(check(ADDRESSES).stdout()).contains("rules of ipspoofchk for veth", "missing");
        assertThat(checkedSources().repair()).isTrue();
        assertThat(elements()).hasSize(before.size());
        assertThat(check(ADDRESSES)).isEqualTo(new CallOutcome(0, "", ""));
    }

    @Test
    void whatHasNoLinkAnyMoreGoes() throws Exception {
        List<String> before = elements();
        succeeded(node.add(config(ADDRESSES), "other", node.pod("other")));
        node.net.delete("other"); // with its link
        assertThat(checkedSources().repair()).isFalse();
        assertThat(elements()).isEqualTo(before);
    }

    /** As after {@code nft replace rule}, or by another version. */
    @Test
    void rulesOfOthersAreSeenAndReplaced() throws Exception {
        String before = node.net.nftState();
        NftChain chain = new NftChain(SourceTable.PORTS.table(), "mac", Optional.empty());
        try (NetworkNamespace host = node.net.current()) {
            int rules = host.nftRules(chain).size();
            host.nftApply(List.of(new NftChange.FlushChain(chain)));
            for (int i = 0; i < rules; i++) {
                host.nftApply(List.of(new NftChange.AddRule(chain, NftRule.of(NftVerdict.ACCEPT))));
            }
        }
        assertThat(check(ADDRESSES).stdout()).contains("rules of ipspoofchk for veth", "missing");
        assertThat(checkedSources().repair()).isTrue();
        assertThat(node.net.nftState()).isEqualTo(before);
    }

    /** As while an ADD is under way, which does not check sources. */
    @Test
    void aPodWhoseAddressesAreNotKnownYetIsLookedAtAgain() throws Exception {
        List<String> before = elements();
        wireWithoutCheck("dummy", netns);
        Path files = dataDir.resolve(TestNode.NETWORK);
        Path away = dataDir.resolve("away");
        Files.move(files, away);
        CheckedSources sources = checkedSources();
        assertThat(sources.repair()).isFalse();
        Files.move(away, files);
        assertThat(sources.repair()).isTrue();
        assertThat(elements()).hasSize(before.size());
    }

    private void wireWithoutCheck(String container, String path) throws Exception {
        succeeded(node.del(config(ADDRESSES), container, path));
        result = succeeded(node.add(config(""), container, path)).stdout().strip();
    }

    /** The kernel answers ENODEV to one call, EINVAL to the other. */
    @ParameterizedTest
    @ValueSource(strings = {"setForwardsReserved", "peer"})
    void aLinkThatVanishesMeanwhileKeepsNoOtherFromItsRepair(String call) throws Exception {
        List<String> before = elements();
        wireWithoutCheck("dummy", netns);
        succeeded(node.add(config(""), "other", node.pod("other")));
        CheckedSources sources = checkedSources((name, arguments) -> {
            if (name.equals(call) && isOfOther(arguments)) {
                node.net.delete("other");
                throw new LinuxNetException(call, Errno.EINVAL.number(), "");
            }
        });
        assertThat(sources.repair()).isTrue();
        assertThat(elements()).hasSize(before.size());
        assertThat(check(ADDRESSES)).isEqualTo(new CallOutcome(0, "", ""));
    }

    private boolean isOfOther(Object... arguments) throws Exception {
        Object link = arguments[0] instanceof Link given ? given.index() : arguments[0];
        try (NetworkNamespace pod = node.net.openNamed("other")) {
            return link.equals(pod.link("eth0").orElseThrow().peerIndex());
        } catch (LinuxNetException e) {
            return false; // it has vanished
        }
    }

    @Test
    void aLinkThatStaysAndFailsIsAnErrorAndKeepsNoOtherFromItsRepair() throws Exception {
        List<String> before = elements();
        wireWithoutCheck("dummy", netns);
        succeeded(node.add(config(""), "other", node.pod("other")));
        CheckedSources sources = checkedSources((name, arguments) -> {
            if (name.equals("setForwardsReserved") && isOfOther(arguments)) {
                throw new LinuxNetException(name, Errno.EINVAL.number(), "");
            }
        });
        for (int tries = 0; tries < 2; tries++) {
            assertThatThrownBy(sources::repair).hasMessageContaining("EINVAL");
            assertThat(elements()).hasSize(before.size());
            assertThat(check(ADDRESSES)).isEqualTo(new CallOutcome(0, "", ""));
        }
        assertThat(checkedSources().repair()).isTrue();
        assertThat(elements()).hasSize(2 * before.size());
    }

    @Test
    void onlyPortsThatWereNotCheckedAreSet() throws Exception {
        succeeded(node.add(config(""), "other", node.pod("other")));
        List<Object> set = new ArrayList<>();
        CheckedSources sources = checkedSources((name, arguments) -> {
            if (name.equals("setForwardsReserved")) {
                assertThat(isOfOther(arguments)).isTrue();
                set.add(arguments[0]);
            }
        });
        assertThat(sources.repair()).isTrue();
        assertThat(set).hasSize(1);
    }

    @Test
    void whatWasRefusedAndIsNotMissingAnyMoreIsNoRepair() throws Exception {
        succeeded(node.add(config(""), "other", node.pod("other")));
        CheckedSources sources = checkedSources((name, arguments) -> {
            if (name.equals("nftApply")) {
                node.net.delete("other");
                throw new LinuxNetException(name, Errno.ENOENT.number(), "");
            }
        });
        assertThat(sources.repair()).isFalse();
    }

    /** Sees a call before the kernel does, and may fail in its place. */
    private interface Meanwhile {
        void before(String call, Object... arguments) throws Exception;
    }

    private CheckedSources checkedSources(Meanwhile meanwhile) {
        LinuxNet net = proxy(
                LinuxNet.class,
                node.net,
                (name, arguments) -> {},
                host -> host instanceof NetworkNamespace namespace
                        ? proxy(NetworkNamespace.class, namespace, meanwhile, UnaryOperator.identity())
                        : host);
        return new CheckedSources(
                net, new HostLocalIpam(node.locks, HostLocalIpam.LOCK_WAIT_MAX), dataDir, TestNode.NETWORK, "bridge0");
    }

    private static <T> T proxy(Class<T> type, T real, Meanwhile meanwhile, UnaryOperator<Object> answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    Object[] given = arguments == null ? new Object[0] : arguments;
                    meanwhile.before(method.getName(), given);
                    try {
                        return answer.apply(method.invoke(real, given));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    /** A container that may change its link must not get another MAC into the table. */
    @Test
    void theMacOfTheTableCountsAndNotThatOfNow() throws Exception {
        List<String> before = elements();
        try (NetworkNamespace pod = node.net.openNamed("pod");
                NetworkNamespace host = node.net.current()) {
            pod.setMac(pod.link("eth0").orElseThrow().index(), MacAddress.parse("02:00:00:00:be:ef"));
            NftElement port = host.nftElements(SourceTable.PORTS).get(0);
            host.nftApply(List.of(new NftChange.DeleteElements(SourceTable.PORTS, List.of(port.key()))));
        }
        assertThat(checkedSources().repair()).isTrue();
        assertThat(elements()).isEqualTo(before);
    }

    @Test
    void delAndGcRemoveWhatIsTheContainersWhateverTheSettingIsNow() throws Exception {
        List<String> first = elements();
        succeeded(node.add(config(ADDRESSES), "other", node.pod("other")));
        succeeded(node.add(config(MAC_ALONE), "third", node.pod("third")));
        assertThat(elements()).hasSize(10).containsAll(first);
        succeeded(node.del(config(MAC_ALONE), "third", ""));
        assertThat(elements()).hasSize(8);
        String gc = config("\"cni.dev/valid-attachments\":[{\"containerID\":\"dummy\",\"ifname\":\"eth0\"}]");
        node.net.delete("other"); // with its link, so that only the element of its port names its owner
        succeeded(node.call(gc, Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/")));
        assertThat(elements()).isEqualTo(first);
        succeeded(node.call(gc.replace(TestNode.NETWORK, "elsewhere"), Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/")));
        assertThat(elements()).isEqualTo(first);
        succeeded(node.del(config(""), "dummy", netns));
        assertThat(elements()).isEmpty();
    }

    /** Otherwise the chains of its first ADD would drop frames with its new MAC. */
    @ParameterizedTest
    @ValueSource(strings = {MAC_ALONE, ADDRESSES})
    void chainsOfAnEarlierVersionGoWithTheNextAdd(String setting) throws Exception {
        succeeded(node.del(config(ADDRESSES), "dummy", netns));
        String before = succeeded(node.add(config("\"macspoofchk\":false"), "dummy", netns))
                .stdout()
                .strip();
        try (NetworkNamespace host = node.net.current()) {
            EarlierSpoofChains.add(host, identity(), identity().hostName(0), mac());
        }
        result = before;
        assertThat(check(MAC_ALONE)).isEqualTo(new CallOutcome(0, "", ""));
        assertThat(check(ADDRESSES).stdout()).contains("rules of ipspoofchk for veth", "missing");
        succeeded(node.add(config(setting), "dummy", netns));
        assertThat(node.net.nftState()).doesNotContain("cni-br-iface", "macspoofchk-");
        assertThat(elements()).isNotEmpty();
    }

    /** After a kill between any two steps of ADD or DEL the next DEL removes everything. */
    @Test
    void leavesNothingWhereverItIsKilled() throws Exception {
        succeeded(node.del(config(ADDRESSES), "dummy", netns));
        int adds = 0;
        boolean failed = true;
        for (int step = 1; failed; step++) {
            assertThat(step).isLessThan(STEPS_MAX);
            node.net.failFrom(step, Errno.EIO);
            failed = node.add(config(ADDRESSES), "dummy", netns).exitCode() != 0;
            node.net.stopFailing();
            adds += failed ? 1 : 0;
            succeeded(node.del(config(ADDRESSES), "dummy", netns));
            assertThat(elements()).as("ADD killed at step " + step).isEmpty();
        }
        assertThat(adds).as("steps at which an ADD was killed").isGreaterThan(20);
        int dels = 0;
        failed = true;
        for (int step = 1; failed; step++) {
            assertThat(step).isLessThan(STEPS_MAX);
            succeeded(node.add(config(ADDRESSES), "dummy", netns));
            node.net.failFrom(step, Errno.EIO);
            failed = node.del(config(ADDRESSES), "dummy", netns).exitCode() != 0;
            node.net.stopFailing();
            dels += failed ? 1 : 0;
            succeeded(node.del(config(ADDRESSES), "dummy", netns));
            assertThat(elements()).as("DEL killed at step " + step).isEmpty();
        }
        assertThat(dels).as("steps at which a DEL was killed").isGreaterThan(5);
    }

    private void flushChains() throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            host.nftApply(SourceTable.creation().stream()
                    .filter(NftChange.FlushChain.class::isInstance)
                    .toList());
        }
    }

    private CheckedSources checkedSources() {
        HostLocalIpam ipam = new HostLocalIpam(node.locks, HostLocalIpam.LOCK_WAIT_MAX);
        return new CheckedSources(node.net, ipam, dataDir, TestNode.NETWORK, "bridge0");
    }

    private CallOutcome check(String setting) {
        String checked = config(setting).replaceFirst("}$", ",\"prevResult\":" + result + "}");
        return node.call(checked, TestNode.environment("CHECK", "dummy", netns));
    }

    private List<String> elements() {
        return node.net
                .nftState()
                .lines()
                .filter(line -> line.matches("bridge nodepath_cni (ports|macs|ipv4|ipv6) .*"))
                .map(line -> line.substring("bridge nodepath_cni ".length()))
                .toList();
    }

    private String source() throws Exception {
        return port() + " . " + mac();
    }

    private String port() {
        return "\"" + identity().hostName(0) + "\"";
    }

    private MacAddress mac() throws Exception {
        try (NetworkNamespace pod = node.net.openNamed("pod")) {
            return pod.link("eth0").flatMap(Link::mac).orElseThrow();
        }
    }

    private static LinkIdentity identity() {
        return new LinkIdentity(TestNode.NETWORK, new Attachment("dummy", "eth0"));
    }

    private String config(String setting) {
        String json = node.gatewayConfig("1.1.0", "10.1.2.0/24", "fd00::/64");
        return setting.isEmpty() ? json : json.replace("\"isDefaultGateway\"", setting + ",\"isDefaultGateway\"");
    }
}
