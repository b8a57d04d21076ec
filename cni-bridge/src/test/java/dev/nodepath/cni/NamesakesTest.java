package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.config.NetworkConfig;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Attachments whose parts would make the same name if hyphens joined them. */
class NamesakesTest extends FakeNodeTest {
    private static final Attachment AMBIGUOUS = new Attachment("a", "b-c");
    private static final Attachment PLAIN = new Attachment("a-b", "c");

    private String config = "";

    @BeforeEach
    void configure() {
        config = config("\"ipMasq\":true,\"macspoofchk\":true");
    }

    @ParameterizedTest
    @CsvSource({
        "a-b, c, a, b-c",
        "a, b-c, a-b, c",
        "a-b, c-d, a, b-c-d",
        "a-b, mac, a, b",
        "a, b, a-b, mac",
        "a, b-mac, a, b",
        "a-b, mac-mac, a-b, mac",
        "a, b-mac, a-b, mac",
        "a.-b, -, a.-, b--",
    })
    void haveRulesOfTheirOwn(String container, String ifname, String otherContainer, String otherIfname)
            throws Exception {
        Attachment first = new Attachment(container, ifname);
        Attachment second = new Attachment(otherContainer, otherIfname);
        String result = add(first, "first");
        String alone = rules();
        add(second, "second");
        assertThat(check(first, "first", result)).isEqualTo(new CallOutcome(0, "", ""));
        succeeded(call("DEL", config, second, "second"));
        assertThat(rules()).isEqualTo(alone);
        assertThat(check(first, "first", result)).isEqualTo(new CallOutcome(0, "", ""));

        add(second, "second");
        gc(first);
        assertThat(rules()).isEqualTo(alone);
        assertThat(check(first, "first", result)).isEqualTo(new CallOutcome(0, "", ""));
        succeeded(call("DEL", config, first, "first"));
        assertThat(owned()).isEmpty();
    }

    @Test
    void losesTheRulesThatAnEarlierVersionMade() throws Exception {
        String result = add(AMBIGUOUS, "first");
        List<String> now = owned();
        asEarlierVersion("10.1.2.2/24");
        String earlier = rules();
        assertThat(earlier).contains("10.1.2.2/24 a-b-c", "cni-br-iface-a-b-c-mac");
        assertThat(check(AMBIGUOUS, "first", result)).isEqualTo(new CallOutcome(0, "", ""));
        gc(AMBIGUOUS);
        assertThat(rules()).isEqualTo(earlier);
        add(AMBIGUOUS, "first");
        assertThat(owned()).isEqualTo(now);

        asEarlierVersion("10.1.2.2/24");
        succeeded(call("DEL", config, AMBIGUOUS, "first"));
        assertThat(owned()).isEmpty();

        add(AMBIGUOUS, "first");
        asEarlierVersion("10.1.2.3/24");
        gc(new Attachment("other", "eth0"));
        assertThat(owned()).isEmpty();
    }

    /** The other came last, so it took the rules. */
    @Test
    void leaveEachOtherTheRulesThatAnEarlierVersionMade() throws Exception {
        add(PLAIN, "first");
        String result = add(AMBIGUOUS, "second");
        try (NetworkNamespace host = node.net.current()) {
            new Masquerade(host, identity(PLAIN)).remove();
            new SourceCheck(host, identity(PLAIN)).remove();
        }
        asEarlierVersion("10.1.2.3/24");
        String earlier = rules();
        succeeded(call("DEL", config, PLAIN, "first"));
        assertThat(rules()).isEqualTo(earlier);
        assertThat(check(AMBIGUOUS, "second", result)).isEqualTo(new CallOutcome(0, "", ""));
        succeeded(call("DEL", config, AMBIGUOUS, "second"));
        assertThat(owned()).isEmpty();
    }

    @Test
    void networksWithLongNamesHaveChainsOfTheirOwn() throws Exception {
        String one = "n".repeat(240) + "-one";
        String other = "n".repeat(240) + "-other-long";
        String cut = "n".repeat(240);
        for (String network : List.of(one, other, cut)) {
            String container = "c" + network.length();
            succeeded(node.add(config.replace(TestNode.NETWORK, network), container, node.pod(container)));
        }
        String gc = config.replaceFirst("\\{", "{\"cni.dev/valid-attachments\":[],");
        succeeded(node.call(gc.replace(TestNode.NETWORK, one), Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/")));
        assertThat(rules())
                .contains("10.1.2.2/24 c251-eth0", "10.1.2.2/24 c240-eth0")
                .doesNotContain("c244-eth0");
        succeeded(node.del(config.replace(TestNode.NETWORK, other), "c251", ""));
        assertThat(rules()).contains("10.1.2.2/24 c240-eth0").doesNotContain("c251-eth0");
    }

    @Test
    void aNetworkThatIsNamedLikeAnothersHashKeepsItsLinks() throws Exception {
        String network = "n".repeat(200);
        String hash = new LinkIdentity(network, PLAIN).networkHash();
        String bare = node.config("1.1.0", "");
        String container = "c".repeat(64);
        succeeded(node.add(bare.replace(TestNode.NETWORK, hash), container, netns));
        String gc = bare.replace(TestNode.NETWORK, network).replaceFirst("\\{", "{\"cni.dev/valid-attachments\":[],");
        succeeded(node.call(gc, Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/")));
        assertThat(node.hostLinks()).hasSize(3);
    }

    /** The link with the attachment's first name was another's, and went before this one. */
    @Test
    void aLinkWithASecondNameIsFound() throws Exception {
        LinkIdentity identity = identity(new Attachment("dummy", "eth0"));
        try (NetworkNamespace host = node.net.current();
                NetworkNamespace pod = node.net.openNamed("pod")) {
            Link other =
                    host.createVeth(new VethSpec(identity.hostName(0), Optional.empty(), "x", pod, Optional.empty()));
            host.setAlias(other.index(), "of another");
            succeeded(node.add(config, "dummy", netns));
            host.deleteLink(other.index());
        }
        assertThat(node.hostLinks()).contains(identity.hostName(1));
        succeeded(node.del(config, "dummy", ""));
        assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
    }

    /** Makes the rules of the ambiguous attachment look like an earlier version's, with an address of its own. */
    private void asEarlierVersion(String address) throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            Link link = identity(AMBIGUOUS).find(host).orElseThrow();
            new Masquerade(host, identity(AMBIGUOUS)).remove();
            new SourceCheck(host, identity(AMBIGUOUS)).remove();
            new Masquerade(host, identity(PLAIN))
                    .ensure(List.of(Cidr.parse(address)), new NetworkConfig.MasqueradeConfig(true, false, false));
            EarlierSpoofChains.add(
                    host, identity(PLAIN), link.name(), link.mac().orElseThrow());
        }
    }

    private static LinkIdentity identity(Attachment attachment) {
        return new LinkIdentity(TestNode.NETWORK, attachment);
    }

    private String add(Attachment attachment, String pod) throws Exception {
        return succeeded(call("ADD", config, attachment, pod)).stdout().strip();
    }

    private CallOutcome check(Attachment attachment, String pod, String result) throws Exception {
        return call("CHECK", config.replaceFirst("}$", ",\"prevResult\":" + result + "}"), attachment, pod);
    }

    private CallOutcome call(String command, String json, Attachment attachment, String pod) throws Exception {
        if (!node.net.names().contains(pod)) {
            node.pod(pod);
        }
        Map<String, String> environment = TestNode.environment(
                command, attachment.containerId(), node.net.path(pod).toString());
        environment.put("CNI_IFNAME", attachment.ifname());
        return node.call(json, environment);
    }

    private void gc(Attachment valid) {
        String json = config.replaceFirst(
                "\\{",
                "{\"cni.dev/valid-attachments\":[{\"containerID\":\"" + valid.containerId() + "\",\"ifname\":\""
                        + valid.ifname() + "\"}],");
        CallOutcome outcome = node.call(json, Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/"));
        assertThat(outcome).isEqualTo(new CallOutcome(0, "", ""));
    }

    private String config(String setting) {
        return node.gatewayConfig("1.1.0", "10.1.2.0/24")
                .replace("\"isDefaultGateway\"", setting + ",\"isDefaultGateway\"");
    }

    /** Chains and rules without their handles, and elements. */
    private String rules() {
        return node.net.nftState().replaceAll("handle [0-9]+", "");
    }

    /**
     * The objects of any attachment: elements, chains of earlier versions, and rules whose comment is no mark of a
     * table's rule.
     */
    private List<String> owned() {
        return node.net
                .nftState()
                .lines()
                .filter(line -> line.matches(
                        ".* # (?![0-9a-f]{8}$).+|.*cni-br-iface.*|bridge nodepath_cni (ports|macs|ipv4|ipv6) .*"))
                .toList();
    }
}
