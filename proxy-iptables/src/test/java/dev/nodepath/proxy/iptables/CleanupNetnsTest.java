package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.RandomSnapshots;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.iptables.IptablesVariant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The removed rules, and those of other programs: a kubelet, Docker, an administrator. */
@Tag("netns")
class CleanupNetnsTest {
    private static final String OTHERS = """
            *mangle
            :KUBE-KUBELET-CANARY - [0:0]
            :KUBE-IPTABLES-HINT - [0:0]
            -A FORWARD -p tcp -m tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu
            COMMIT
            *filter
            :DOCKER - [0:0]
            :DOCKER-USER - [0:0]
            :KUBE-KUBELET-CANARY - [0:0]
            :KUBE-FIREWALL - [0:0]
            -A INPUT -j KUBE-FIREWALL
            -A OUTPUT -j KUBE-FIREWALL
            -A FORWARD -j DOCKER-USER
            -A FORWARD -o docker0 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
            -A FORWARD -o docker0 -j DOCKER
            -A DOCKER -d 172.17.0.2/32 ! -i docker0 -o docker0 -p tcp -m tcp --dport 80 -j ACCEPT
            -A DOCKER-USER -j RETURN
            -A KUBE-FIREWALL -m comment --comment "kubernetes firewall for dropping marked packets" -m mark --mark 0x8000/0x8000 -j DROP
            -A KUBE-FIREWALL ! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment --comment "block incoming localnet connections" -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP
            COMMIT
            *nat
            :DOCKER - [0:0]
            :KUBE-KUBELET-CANARY - [0:0]
            -A PREROUTING -m addrtype --dst-type LOCAL -j DOCKER
            -A POSTROUTING -s 172.17.0.0/16 ! -o docker0 -j MASQUERADE
            -A DOCKER ! -i docker0 -p tcp -m tcp --dport 8080 -j DNAT --to-destination 172.17.0.2:80
            COMMIT
            """;

    @ParameterizedTest
    @EnumSource(IptablesVariant.class)
    void leavesTheTablesAsTheyWereBefore(IptablesVariant variant) throws Exception {
        try (IptablesNamespace namespace = IptablesNamespace.create(variant)) {
            Iptables iptables = namespace.iptables(IpFamily.IPV4);
            iptables.restore(OTHERS);
            String before = rules(iptables);
            RandomSnapshots snapshots = new RandomSnapshots(41);
            IptablesProxy proxy = new IptablesProxy(
                    IptablesConfig.DEFAULTS, List.of(iptables), new FakeLinuxNet().current(), Optional.empty());
            proxy.sync(snapshots.next(), ChangeSet.NONE);
            proxy.sync(snapshots.next(), ChangeSet.NONE);
            iptables.restore("*mangle\n:KUBE-PROXY-CANARY - [0:0]\nCOMMIT\n*nat\n:KUBE-PROXY-CANARY - [0:0]\nCOMMIT\n");
            assertThat(rules(iptables)).isNotEqualTo(before);

            IptablesProxy.removeRules(iptables);

            assertThat(rules(iptables)).isEqualTo(before);
        }
    }

    /** Without counters and times. */
    private static String rules(Iptables iptables) throws Exception {
        return iptables.save().replaceAll("(?m)^#.*\n", "").replaceAll("\\[[0-9]+:[0-9]+]", "");
    }
}
