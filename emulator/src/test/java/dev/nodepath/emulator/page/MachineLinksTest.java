package dev.nodepath.emulator.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The real kernel: a node and a Pod on it. */
@Tag("netns")
class MachineLinksTest {
    private static final String NODE = "links-node";
    private static final String POD = "links-pod";

    private final KernelLinuxNet net = new KernelLinuxNet();

    @Test
    void aPodThatComesAgainHasTheCountersOfItsNewLink() throws IOException {
        try (NetworkNamespace node = net.create(NODE);
                MachineLinks links = MachineLinks.open(node, net)) {
            int first = podLink(node, links);
            int second = podLink(node, links);

            assertThat(second).isNotEqualTo(first);
        } finally {
            net.delete(NODE);
        }
    }

    /** Makes a Pod with a link, reads its counters, and removes both. */
    private int podLink(NetworkNamespace node, MachineLinks links) throws IOException {
        try (NetworkNamespace pod = net.create(POD)) {
            Link eth0 = pod.createVeth(new VethSpec("eth0", Optional.empty(), "veth0", node, Optional.empty()));
            links.read();
            int link = links.of("web-1", id -> pod).orElseThrow().link();
            assertThat(link).isEqualTo(eth0.peerIndex());
            pod.deleteLink(eth0.index());
            return link;
        } finally {
            net.delete(POD);
        }
    }

    @Test
    void aNodeThatWasStartedAgainHasOtherLinks() throws IOException {
        NetworkNamespace node = net.create(NODE);
        try (MachineLinks links = MachineLinks.open(node, net)) {
            links.read();
            assertThat(links.areOf(node)).isTrue();

            node.close();
            net.delete(NODE);
            assertThatThrownBy(links::read).isInstanceOf(IllegalStateException.class);
            try (NetworkNamespace again = net.create(NODE)) {
                assertThat(links.areOf(again)).isFalse();
            }
        } finally {
            net.delete(NODE);
        }
    }
}
