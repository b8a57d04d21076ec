package dev.nodepath.linux.iptables;

import dev.nodepath.linux.address.IpFamily;

class FakeIptablesTest extends IptablesContract {
    private final FakeIptables iptables = new FakeIptables(IpFamily.IPV4);

    @Override
    Iptables iptables() {
        return iptables;
    }
}
