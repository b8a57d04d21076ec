package dev.nodepath.agent.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules that a cleanup of userspace mode removes, and rules of other programs that stay. */
@Tag("netns")
class UserspaceCleanupTest {
    private static final String OTHERS = """
            *filter
            :DOCKER-USER - [0:0]
            :KUBE-FIREWALL - [0:0]
            :KUBE-KUBELET-CANARY - [0:0]
            -A INPUT -j KUBE-FIREWALL
            -A FORWARD -j DOCKER-USER
            -A DOCKER-USER -j RETURN
            -A KUBE-FIREWALL -m mark --mark 0x8000/0x8000 -j DROP
            COMMIT
            *nat
            :DOCKER - [0:0]
            -A PREROUTING -m addrtype --dst-type LOCAL -j DOCKER
            -A POSTROUTING -s 172.17.0.0/16 ! -o docker0 -j MASQUERADE
            -A DOCKER ! -i docker0 -p tcp -m tcp --dport 8080 -j DNAT --to-destination 172.17.0.2:80
            COMMIT
            """;

    /** The rules of an earlier version, which led to its relays by iptables as kube-proxy did. */
    private static final String OLDER = """
        *filter
        :KUBE-NODEPORT-NON-LOCAL - [0:0]
        :KUBE-PORTALS-REJECT - [0:0]
        -I INPUT -j KUBE-NODEPORT-NON-LOCAL
        -I FORWARD -m conntrack --ctstate NEW -j KUBE-PORTALS-REJECT
        -A KUBE-PORTALS-REJECT -d 10.96.0.2 -p tcp -m tcp --dport 80 -j REJECT
        COMMIT
        *nat
        :KUBE-NODEPORT-CONTAINER - [0:0]
        :KUBE-NODEPORT-HOST - [0:0]
        :KUBE-PORTALS-CONTAINER - [0:0]
        :KUBE-PORTALS-HOST - [0:0]
        -I PREROUTING -j KUBE-PORTALS-CONTAINER
        -A PREROUTING -m addrtype --dst-type LOCAL -j KUBE-NODEPORT-CONTAINER
        -I OUTPUT -j KUBE-PORTALS-HOST
        -A OUTPUT -m addrtype --dst-type LOCAL -j KUBE-NODEPORT-HOST
        -A KUBE-PORTALS-CONTAINER -d 203.0.113.1 -p tcp -m tcp --dport 80 -j REDIRECT --to-ports 40000
        -A KUBE-NODEPORT-HOST -p tcp -m tcp --dport 30001 -j DNAT --to-destination 172.18.0.2:40000
        COMMIT
        """;

    @ParameterizedTest
    @EnumSource(IptablesVariant.class)
    void leavesTheTablesAsTheyWereBefore(IptablesVariant variant) throws Exception {
        ServiceSnapshot services = Snapshots.service("a/web", "10.96.0.1", 80)
                .nodePort(30001)
                .externalIps("203.0.113.1")
                .endpoint("10.244.0.2:8080", "n1")
                .andService("a/empty", "10.96.0.2", 80)
                .build();
        try (IptablesNamespace namespace = IptablesNamespace.create(variant)) {
            Iptables iptables = namespace.iptables(IpFamily.IPV4);
            iptables.restore(OTHERS);
            String before = rules(iptables);
            try (UserspaceProxy proxy = new UserspaceProxy("n1", RelayConfig.DEFAULTS, List.of(iptables))) {
                proxy.sync(services, ChangeSet.of(services.services().keySet()));
                assertThat(rules(iptables)).contains("KUBE-NODEPORT-NON-LOCAL");
                iptables.restore(OLDER);
                UserspaceProxy.removeRules(namespace.others(IpFamily.IPV4));
                assertThat(rules(iptables)).isEqualTo(before);
            }
            assertThat(rules(iptables)).as("after closing").isEqualTo(before);
        }
    }

    /** Without counters and times. */
    private static String rules(Iptables iptables) throws Exception {
        return iptables.save().replaceAll("(?m)^#.*\n", "").replaceAll("\\[[0-9]+:[0-9]+]", "");
    }
}
