package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The option {@code prune}: a bridge that was made here goes with its last container. */
class EmptyBridgeTest extends FakeNodeTest {
    private static final String PRUNE = "\"prune\":true";

    @ParameterizedTest
    @ValueSource(strings = {"", ",\"vlan\":100"})
    void goesWithItsLastContainer(String members) throws Exception {
        String config = config(PRUNE + members);
        succeeded(node.add(config, "one", netns));
        succeeded(node.add(config, "two", node.pod("two")));
        succeeded(node.del(config, "one", netns));
        assertThat(node.hostLinks()).contains("bridge0");
        succeeded(node.del(config, "two", ""));
        assertThat(node.hostLinks()).containsExactly("lo");
        succeeded(node.del(config, "two", ""));
        succeeded(node.add(config, "three", node.pod("three")));
        assertThat(node.hostLinks()).contains("bridge0");
    }

    @Test
    void goesWithoutAddressesToo() throws Exception {
        String bare = node.config("1.1.0", PRUNE);
        succeeded(node.add(bare, "one", netns));
        succeeded(node.del(bare, "one", netns));
        assertThat(node.hostLinks()).containsExactly("lo");
    }

    @Test
    void goesWithTheLastContainerThatIsCollected() throws Exception {
        succeeded(node.add(config(PRUNE), "one", netns));
        String gc = config(PRUNE).replaceFirst("\\{", "{\"cni.dev/valid-attachments\":[],");
        assertThat(node.call(gc, Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/"))).isEqualTo(new CallOutcome(0, "", ""));
        assertThat(node.hostLinks()).containsExactly("lo");
    }

    @Test
    void staysUnlessAsked() throws Exception {
        succeeded(node.add(config("\"prune\":false"), "one", netns));
        succeeded(node.del(config("\"prune\":false"), "one", netns));
        assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
        // Asked later, it is known to be ours.
        succeeded(node.del(config(PRUNE), "one", netns));
        assertThat(node.hostLinks()).containsExactly("lo");
    }

    @Test
    void staysWhereAnotherMadeItOrUsesIt() throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            MacAddress mac = MacAddress.parse("02:00:00:00:00:01");
            host.createBridge(new BridgeSpec("bridge0", Optional.of(mac), Optional.empty(), false));
            succeeded(node.add(config(PRUNE), "one", netns));
            succeeded(node.del(config(PRUNE), "one", netns));
            assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
            host.deleteLink(host.link("bridge0").orElseThrow().index());

            succeeded(node.add(config(PRUNE), "one", netns));
            int bridge = host.link("bridge0").orElseThrow().index();
            host.addAddress(bridge, Cidr.parse("192.168.7.1/24"));
            succeeded(node.del(config(PRUNE), "one", netns));
            assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
            host.deleteAddress(bridge, Cidr.parse("192.168.7.1/24"));

            String another = config(PRUNE).replace(TestNode.NETWORK, "another").replace("10.1.2.0", "10.8.0.0");
            succeeded(node.add(another, "other", node.pod("other")));
            succeeded(node.del(config(PRUNE), "one", netns));
            assertThat(node.hostLinks()).contains("bridge0");
            succeeded(node.del(another, "other", ""));
            assertThat(node.hostLinks()).containsExactly("lo");
        }
    }

    @Test
    void staysWithALinkThatStandsOnItWhateverItsName() throws Exception {
        succeeded(node.add(config(PRUNE), "one", netns));
        node.net.addVlanLink("person", "bridge0");
        succeeded(node.del(config(PRUNE), "one", netns));
        assertThat(node.hostLinks()).containsExactly("lo", "bridge0", "person");
    }

    @Test
    void staysWithAPersonsAddressOnItsEndInAVlan() throws Exception {
        String config = config(PRUNE + ",\"vlan\":100");
        succeeded(node.add(config, "one", netns));
        try (NetworkNamespace host = node.net.current()) {
            int near = host.link("bridge0.100").orElseThrow().index();
            host.addAddress(near, Cidr.parse("192.168.7.1/24"));
            succeeded(node.del(config, "one", netns));
            assertThat(node.hostLinks()).contains("bridge0", "bridge0.100");
            host.deleteAddress(near, Cidr.parse("192.168.7.1/24"));
            succeeded(node.del(config, "one", netns));
            assertThat(node.hostLinks()).containsExactly("lo");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"a/b\"", "7"})
    void theDefaultBridgeStaysWhereTheNameCannotBeRead(String name) throws Exception {
        String unnamed = node.config("1.1.0", PRUNE).replace("\"bridge\":\"bridge0\",", "");
        succeeded(node.add(unnamed, "one", netns));
        succeeded(node.del(unnamed.replace("\"prune\":true", "\"prune\":false"), "one", netns));
        succeeded(node.del(unnamed.replaceFirst("\\{", "{\"bridge\":" + name + ","), "one", netns));
        assertThat(node.hostLinks()).containsExactly("lo", "cni0");
        succeeded(node.del(unnamed, "one", netns));
        assertThat(node.hostLinks()).containsExactly("lo");
    }

    private String config(String members) {
        return node.gatewayConfig("1.1.0", "10.1.2.0/24")
                .replace("\"isDefaultGateway\"", members + ",\"isDefaultGateway\"");
    }
}
