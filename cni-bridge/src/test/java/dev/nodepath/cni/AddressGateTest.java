package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When an ADD tells the gate of addresses, and when it waits. */
class AddressGateTest extends FakeNodeTest {
    private static final String CONTAINER = "dummy";

    private String config = "";
    private boolean open = true;
    private final List<String> seen = new ArrayList<>();

    @BeforeEach
    void tellTheGate() {
        config = node.gatewayConfig("1.0.0", "10.1.2.0/24");
        node.gate = (network, args, addresses) -> {
            see("told of " + addresses);
            return new Passage();
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

    /** With what the container has, and the node has for it. */
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
}
