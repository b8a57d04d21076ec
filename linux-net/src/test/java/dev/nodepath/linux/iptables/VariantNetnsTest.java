package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The real commands of both variants in one namespace. */
@Tag("netns")
class VariantNetnsTest {
    private final IptablesNamespace namespace = IptablesNamespace.create();

    VariantNetnsTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        namespace.close();
    }

    private Optional<IptablesVariant> inUse() throws IOException {
        return namespace.inside(() -> VariantChoice.inUse(VariantChoice.system(), failure -> {
            throw new AssertionError(failure);
        }));
    }

    @Test
    void lookingMakesNoTable() throws IOException {
        assertThat(inUse()).isEmpty();
        assertThat(namespace.iptables(IpFamily.IPV4, IptablesVariant.LEGACY).save())
                .isEmpty();
        assertThat(namespace.iptables(IpFamily.IPV4, IptablesVariant.NFT).save())
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"NFT", "LEGACY"})
    void isTheOneWithTheKubeletsChains(IptablesVariant used) throws IOException {
        IptablesVariant other = used == IptablesVariant.NFT ? IptablesVariant.LEGACY : IptablesVariant.NFT;
        namespace.iptables(IpFamily.IPV4, other).restore("*filter\n-A INPUT -j ACCEPT\n-A INPUT -j ACCEPT\nCOMMIT\n");
        assertThat(inUse()).contains(other);
        namespace.iptables(IpFamily.IPV6, used).restore("*mangle\n:KUBE-KUBELET-CANARY - [0:0]\nCOMMIT\n");
        assertThat(inUse()).contains(used);
    }

    @ParameterizedTest
    @EnumSource(names = {"NFT", "LEGACY"})
    void isTheOneWithAProxysChains(IptablesVariant used) throws IOException {
        IptablesVariant other = used == IptablesVariant.NFT ? IptablesVariant.LEGACY : IptablesVariant.NFT;
        namespace.iptables(IpFamily.IPV4, other).restore("*filter\n-A INPUT -j ACCEPT\n-A INPUT -j ACCEPT\nCOMMIT\n");
        namespace.iptables(IpFamily.IPV6, used).restore("*filter\n:KUBE-FORWARD - [0:0]\nCOMMIT\n");
        assertThat(inUse()).contains(used);
    }

    @ParameterizedTest
    @EnumSource(names = {"NFT", "LEGACY"})
    void countsPackets(IptablesVariant variant) throws IOException {
        namespace.iptables(IpFamily.IPV4, variant).restore("*nat\n:A - [0:0]\n-A A -p tcp -j ACCEPT\nCOMMIT\n");
        String listing = namespace.inside(
                () -> new IptablesCommand(IpFamily.IPV4, Optional.of(variant)).saveWithCounters(Table.NAT));
        assertThat(listing).contains("[0:0] -A A -p tcp -j ACCEPT\n");
    }
}
