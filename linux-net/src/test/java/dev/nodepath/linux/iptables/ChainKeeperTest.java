package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.address.IpFamily;
import org.junit.jupiter.api.Test;

class ChainKeeperTest extends ChainKeeperContract {
    private static final Hook HOOK =
            new Hook(Table.FILTER, "FORWARD", Hook.Position.LAST, Rule.of(new Target.Jump("KEPT")));

    private final FakeIptables iptables = new FakeIptables(IpFamily.IPV4);

    @Override
    Iptables iptables() {
        return iptables;
    }

    @Override
    void restoreByOther(String text) throws IptablesException {
        iptables.restoreByOther(text);
    }

    @Test
    void looksOnlyWhereSomebodyHasChangedATable() throws Exception {
        iptables.watch();
        ChainKeeper keeper = new ChainKeeper(iptables, HOOK);
        keeper.ensure(rules("10.1.0.0/24"));
        int saves = iptables.saves();
        keeper.ensure(rules("10.1.0.0/24"));
        assertThat(iptables.saves()).isEqualTo(saves);
        iptables.restoreByOther("*nat\n:OTHER - [0:0]\nCOMMIT\n");
        keeper.ensure(rules("10.1.0.0/24"));
        assertThat(iptables.saves()).isGreaterThan(saves);
    }

    @Test
    void looksAgainAfterAFailure() throws Exception {
        iptables.watch();
        ChainKeeper keeper = new ChainKeeper(iptables, HOOK);
        keeper.ensure(rules("10.1.0.0/24"));
        iptables.failNext();
        assertThatThrownBy(() -> keeper.ensure(rules("10.2.0.0/24"))).isInstanceOf(IptablesException.class);
        assertThat(keeper.ensure(rules("10.1.0.0/24"))).isFalse();
        assertThat(keeper.ensure(rules("10.2.0.0/24"))).isTrue();
    }
}
