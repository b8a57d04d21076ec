package dev.nodepath.proxy.userspace;

import dev.nodepath.proxy.userspace.relay.PortalKind;
import org.junit.jupiter.api.Tag;

/** With iptables rules. */
@Tag("netns")
class RulePortalsKernelTest extends PortalsContract {
    RulePortalsKernelTest() throws Exception {
        super(PortalKind.IPTABLES);
    }
}
