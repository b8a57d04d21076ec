package dev.nodepath.proxy.userspace;

import dev.nodepath.proxy.userspace.relay.PortalKind;
import org.junit.jupiter.api.Tag;

/** With a table of nf_tables. */
@Tag("netns")
class TablePortalsKernelTest extends PortalsContract {
    TablePortalsKernelTest() throws Exception {
        super(PortalKind.NFTABLES);
    }
}
