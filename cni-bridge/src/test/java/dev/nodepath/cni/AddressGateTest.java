package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.syscall.Errno;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When an ADD tells the gate of addresses, and when it waits. */
class AddressGateTest extends FakeNodeTest {
    private static final String CONTAINER = "dummy";

    private String config = "";
    private boolean open = true;
    private final List<String> seen = new ArrayList<>();

    @BeforeEach
    void tellTheGate() {
        config = node.gatewayConfig("1.0.0", "10.1.2.0/24");
        node.gate = new AddressGate() {
            @Override
            public AddressGate.Passage announce(
                    String network, Map<String, String> args, Optional<Path> mark, List<IpAddress> addresses) {
                see("told of " + addresses);
                return AddressGateTest.this.new Passage();
            }

            @Override
            public void release(String network, Held held) throws IOException {
                see("told that " + held.addresses() + " of " + network + " will be free");
                if (!open) {
                    throw new IOException("the agent does not answer");
                }
            }
        };
    }

    private final class Passage implements AddressGate.Passage {
        @Override
        public void await() throws CniException {
            see("asked");
            if (!open) {
                throw new CniException(ErrorCode.TRY_AGAIN_LATER, "closed");
            }
        }

        @Override
        public void withdraw() {
            see("told to forget");
        }
    }

    /** Notes an event with the state of container and node. */
    private void see(String event) {
        try (NetworkNamespace pod = node.net.open(Path.of(netns))) {
            String link = "without a link";
            for (Link each : pod.links()) {
                if (each.name().equals("eth0")) {
                    link = (each.up() ? "up with " : "down with ") + pod.addresses(each.index());
                }
            }
            seen.add(event + ", " + link + ", reserved " + node.reserved());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void anAddTellsAtOnceAndAsksBeforeTheContainerGetsTheAddress() throws Exception {
        assertThat(node.add(config, CONTAINER, netns).exitCode()).isZero();
        assertThat(seen)
                .containsExactly(
                        "told of [10.1.2.2], without a link, reserved [10.1.2.2]",
                        "asked, down with [], reserved [10.1.2.2]");
    }

    @Test
    void anAddThatFailsTakesBackWhatItHasToldBeforeOthersMayGetTheAddress() throws Exception {
        open = false;
        assertThat(node.add(config, CONTAINER, netns).stdout()).contains("\"code\":11", "closed");
        assertThat(seen).element(2).isEqualTo("told to forget, without a link, reserved [10.1.2.2]");
        assertThat(node.reserved()).isEmpty();
    }

    /** Its address is still the container's. */
    @Test
    void anAddMadeAgainThatFailsTakesNothingBack() throws Exception {
        assertThat(node.add(config, CONTAINER, netns).exitCode()).isZero();
        seen.clear();
        open = false;
        assertThat(node.add(config, CONTAINER, netns).exitCode()).isNotZero();
        assertThat(seen).hasSize(2).noneMatch(event -> event.startsWith("told to forget"));
    }

    @Test
    void aDelTellsWhenTheLinkIsGoneAndBeforeOthersMayGetTheAddress() throws Exception {
        assertThat(node.add(config, CONTAINER, netns).exitCode()).isZero();
        seen.clear();
        assertThat(node.del(config, CONTAINER, netns).exitCode()).isZero();
        assertThat(seen)
                .containsExactly(
                        "told that [10.1.2.2] of testConfig will be free, without a link, reserved [10.1.2.2]");
        assertThat(node.reserved()).isEmpty();
    }

    @Test
    void aGcTellsOfWhatItFreesAsADelDoes() throws Exception {
        config = node.gatewayConfig("1.1.0", "10.1.2.0/24");
        assertThat(node.add(config, "valid", node.pod("valid")).exitCode()).isZero();
        assertThat(node.add(config, CONTAINER, netns).exitCode()).isZero();
        seen.clear();
        assertThat(gcAllButValid()).isEqualTo(new CallOutcome(0, "", ""));
        assertThat(seen)
                .containsExactly("told that [10.1.2.3] of testConfig will be free, without a link,"
                        + " reserved [10.1.2.2, 10.1.2.3]");
        assertThat(node.reserved()).containsExactly("10.1.2.2");
    }

    private CallOutcome gcAllButValid() {
        String gc = config.replaceFirst(
                "\\{", "{\"cni.dev/valid-attachments\":[{\"containerID\":\"valid\",\"ifname\":\"eth0\"}],");
        return node.call(gc, Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/opt/cni/bin"));
    }

    @Test
    void aGcKeepsTheAddressOfALinkThatItCannotRemove() throws Exception {
        config = node.gatewayConfig("1.1.0", "10.1.2.0/24");
        assertThat(node.add(config, CONTAINER, netns).exitCode()).isZero();
        seen.clear();
        node.net.failNext("deleteLinks", Errno.EBUSY);
        assertThat(gcAllButValid().stdout()).contains("EBUSY");
        assertThat(seen).noneMatch(event -> event.contains("10.1.2.2] of"));
        assertThat(node.reserved()).containsExactly("10.1.2.2");

        assertThat(gcAllButValid()).isEqualTo(new CallOutcome(0, "", ""));
        assertThat(seen).last().asString().startsWith("told that [10.1.2.2] of testConfig will be free");
        assertThat(node.reserved()).isEmpty();
    }

    @Test
    void aGcFreesAddressesThoughNobodyHearsOfThem() throws Exception {
        config = node.gatewayConfig("1.1.0", "10.1.2.0/24");
        assertThat(node.add(config, CONTAINER, netns).exitCode()).isZero();
        open = false;
        assertThat(gcAllButValid().stdout()).contains("the agent does not answer");
        assertThat(node.reserved()).isEmpty();
    }

    /** As in a process without an agent. Without the table no policy is enforced. */
    @ParameterizedTest
    @EnumSource
    void whileATableOfPoliciesStandsNoPodStartsWithoutAnAgent(IpFamily family) throws Exception {
        node.gate = new PolicyTableGate(node.net);
        String ofAgent = config.replace(TestNode.NETWORK, PolicyTableGate.NETWORK);
        assertThat(node.add(ofAgent, "before", node.pod("before")).exitCode()).isZero();
        NftTable table = PolicyTableGate.table(family);
        try (NetworkNamespace host = node.net.current()) {
            host.nftApply(List.of(new NftChange.AddTable(table)));
        }
        assertThat(node.add(ofAgent, CONTAINER, netns).stdout())
                .contains("\"code\":11", "NetworkPolicies are in force on this node, and no agent runs");
        assertThat(node.add(config, CONTAINER, netns).exitCode())
                .as("another network")
                .isZero();
        assertThat(node.del(ofAgent, "before", "").exitCode()).isZero();
        try (NetworkNamespace host = node.net.current()) {
            host.nftApply(List.of(new NftChange.DeleteTable(table)));
        }
        assertThat(node.add(ofAgent, "after", node.pod("after")).exitCode()).isZero();
    }

    /** As after the node's restart: there is neither table nor agent yet. */
    @Test
    void whileTheMarkOfPoliciesIsThereNoPodStartsWithoutAnAgent(@TempDir Path folder) throws Exception {
        node.gate = new PolicyTableGate(node.net);
        Path mark = folder.resolve("10-nodepath.policies");
        String marked = config.replaceFirst("\\{", "{\"policyMark\":\"" + mark + "\",");
        String ofAgent = marked.replace(TestNode.NETWORK, PolicyTableGate.NETWORK);
        assertThat(node.add(ofAgent, "before", node.pod("before")).exitCode()).isZero();
        Files.writeString(mark, "");
        assertThat(node.add(ofAgent, CONTAINER, netns).stdout())
                .contains("\"code\":11", "NetworkPolicies are in force", "file " + mark + " is there");
        assertThat(node.add(marked, CONTAINER, netns).exitCode())
                .as("another network")
                .isZero();
        assertThat(node.del(ofAgent, "before", "").exitCode()).isZero();
        Files.delete(mark);
        assertThat(node.add(ofAgent, "after", node.pod("after")).exitCode()).isZero();
        Files.createSymbolicLink(mark, mark);
        assertThat(node.add(ofAgent, "unreadable", node.pod("unreadable")).stdout())
                .contains("\"code\":11", "file " + mark + " is there");
    }

    @Test
    void aMarkMustHaveAnAbsolutePath() {
        String relative = config.replaceFirst("\\{", "{\"policyMark\":\"net.d/mark\",");
        assertThat(node.add(relative, CONTAINER, netns).stdout())
                .contains("\"code\":7", "policyMark", "net.d/mark", "an absolute path");
    }
}
