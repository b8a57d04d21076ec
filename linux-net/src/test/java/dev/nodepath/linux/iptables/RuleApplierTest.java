package dev.nodepath.linux.iptables;

import dev.nodepath.linux.IpFamily;

class RuleApplierTest extends RuleApplierContract {
    private final FakeIptables iptables = new FakeIptables(IpFamily.IPV4);

    @Override
    Iptables iptables() {
        return iptables;
    }

    @Override
    Iptables others() {
        return iptables;
    }
}
