package dev.nodepath.proxy.userspace.portals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeptClientsTest {
    private static final InternalClients INTERNAL = new InternalClients(
            Set.of(IpAddress.parse("172.30.0.11"), IpAddress.parse("10.244.1.1")),
            List.of(Cidr.parse("10.244.0.0/16"), Cidr.parse("fd44::/16")));
    private static final KeptClients KEPT = new KeptClients(
            INTERNAL,
            List.of(Cidr.parse("10.244.1.0/24"), Cidr.parse("fd44:1::/64")),
            Set.of(IpAddress.parse("10.244.255.12")),
            List.of(Cidr.parse("10.244.1.0/25"), Cidr.parse("fd44:1::/64")),
            client -> 7);

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # client       | endpoint      | local only | kept  | why
            10.244.1.5     | 10.244.2.5    | false      | true  | a pod here to a pod of another node
            fd44:1::5      | fd44:2::5     | false      | true  | the same in IPv6
            10.244.1.5     | 10.244.1.6    | false      | true  | the bridge shows the answer between two pods here
            fd44:1::5      | fd44:1::6     | false      | true  | the same in IPv6
            10.244.1.5     | 10.244.1.200  | false      | false | a pod here that is on another bridge
            10.244.1.200   | 10.244.1.201  | false      | false | two pods here on a bridge that shows nothing
            10.244.1.5     | 10.244.1.1    | false      | false | this node, by its bridge
            fd44:1::5      | fd44:1::5     | false      | false | a pod to itself in IPv6
            10.244.1.5     | 10.244.1.5    | true       | false | a pod to itself
            10.244.1.5     | 172.30.0.12   | false      | false | another node is no pod: the packet leaves masqueraded
            10.244.1.5     | 10.244.255.12 | false      | false | another node, though its address is in the networks of pods
            172.30.0.254   | 10.244.1.5    | true       | true  | outside to a cluster IP under internalTrafficPolicy Local
            10.244.1.5     | 172.30.0.11   | false      | false | this node itself answers without the relay
            10.244.2.5     | 10.244.2.6    | false      | false | a pod of another node, which is its own node's matter
            172.30.0.11    | 10.244.2.5    | false      | false | this node
            10.244.1.1     | 10.244.2.5    | false      | false | this node, by its bridge
            127.0.0.1      | 10.244.2.5    | false      | false | this node, by its loopback address
            172.30.0.254   | 10.244.1.5    | true       | true  | outside to a pod here, under policy Local
            172.30.0.254   | 10.244.1.5    | false      | false | outside under policy Cluster
            172.30.0.254   | 10.244.2.5    | true       | false | outside to another node
            172.30.0.254   | 172.30.0.11   | true       | false | outside to this node itself
            """)
    void keepsWhoseAnswersComeBack(String client, String endpoint, boolean localOnly, boolean kept, String why) {
        assertThat(KEPT.number(IpAddress.parse(client), IpAddress.parse(endpoint), localOnly))
                .as(why)
                .isEqualTo(kept ? 7 : 0);
    }

    @Test
    void keepsNobodyUnlessAsked() {
        assertThat(KEPT.keepsAny()).isTrue();
        assertThat(KeptClients.NONE.keepsAny()).isFalse();
    }
}
