package dev.nodepath.linux;

import dev.nodepath.linux.nftables.NftNamespace;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

@Tag("netns")
class KernelNftTablesTest implements NftTablesContract {
    @SuppressWarnings("NullAway.Init") // lives from @BeforeEach to @AfterEach
    private NftNamespace namespace;

    @BeforeEach
    void create() throws LinuxNetException {
        namespace = NftNamespace.create();
    }

    @AfterEach
    void delete() throws LinuxNetException {
        namespace.close();
    }

    @Override
    public NftTables tables() {
        return namespace.tables();
    }
}
