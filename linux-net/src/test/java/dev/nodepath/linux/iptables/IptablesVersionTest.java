package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class IptablesVersionTest {
    @Test
    void readsBothVariantsAndTheTimeBeforeThem() throws IptablesException {
        assertThat(IptablesVersion.parse("iptables v1.8.9 (nf_tables)\n"))
                .isEqualTo(new IptablesVersion(1, 8, 9, IptablesVariant.NFT));
        assertThat(IptablesVersion.parse("ip6tables v1.8.10 (legacy)"))
                .isEqualTo(new IptablesVersion(1, 8, 10, IptablesVariant.LEGACY));
        assertThat(IptablesVersion.parse("iptables v1.6.1"))
                .isEqualTo(new IptablesVersion(1, 6, 1, IptablesVariant.LEGACY));
        assertThatThrownBy(() -> IptablesVersion.parse("no such option"))
                .isInstanceOf(IptablesException.class)
                .hasMessageContaining("no such option");
    }

    @Test
    void knowsSinceWhenSourcePortsCanBeFullyRandom() throws IptablesException {
        assertThat(IptablesVersion.parse("iptables v1.6.1").hasRandomFully()).isFalse();
        assertThat(IptablesVersion.parse("iptables v1.6.2").hasRandomFully()).isTrue();
        assertThat(IptablesVersion.parse("iptables v2.0.0").hasRandomFully()).isTrue();
    }
}
