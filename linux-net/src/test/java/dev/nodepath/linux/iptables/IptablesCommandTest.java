package dev.nodepath.linux.iptables;

import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** The installed commands. */
@Tag("netns")
class IptablesCommandTest extends IptablesContract {
    private final IptablesNamespace namespace;

    IptablesCommandTest() throws IOException {
        namespace = IptablesNamespace.create();
    }

    @AfterEach
    void delete() throws IOException {
        namespace.close();
    }

    @Override
    Iptables iptables() {
        return namespace.iptables(IpFamily.IPV4);
    }
}
