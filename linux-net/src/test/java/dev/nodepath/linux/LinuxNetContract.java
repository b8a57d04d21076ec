package dev.nodepath.linux;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * All that {@link LinuxNet} promises. The fake and the kernel pass the same cases, so that the fake can be believed.
 */
abstract class LinuxNetContract
        implements LinkContract,
                BridgeContract,
                VxlanContract,
                AddressContract,
                RouteContract,
                WatchContract,
                NamespaceContract,
                NftContract {
    @SuppressWarnings("NullAway.Init") // lives from @BeforeEach to @AfterEach
    private NetworkNamespace near;

    @SuppressWarnings("NullAway.Init")
    private NetworkNamespace far;

    @BeforeEach
    void createNamespaces() throws LinuxNetException {
        near = net().create(NEAR);
        far = net().create(FAR);
    }

    @AfterEach
    void deleteNamespaces() throws LinuxNetException {
        near.close();
        far.close();
        net().delete(NEAR);
        net().delete(FAR);
    }

    @Override
    public NetworkNamespace near() {
        return near;
    }

    @Override
    public NetworkNamespace far() {
        return far;
    }
}
