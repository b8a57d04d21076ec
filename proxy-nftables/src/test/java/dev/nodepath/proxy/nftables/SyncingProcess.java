package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.RandomChanges;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftTables;
import java.util.List;

/**
 * A process that syncs one step of a random history after the other, and prints the number of each step before it. Its
 * arguments: the namespace, the seed, the first step, and the largest transaction in bytes.
 */
final class SyncingProcess {
    static final NftablesConfig CONFIG = NftablesConfig.DEFAULTS;

    private SyncingProcess() {}

    public static void main(String... arguments) throws Exception {
        KernelLinuxNet kernel = new KernelLinuxNet();
        int first = Integer.parseInt(arguments[2]);
        RandomChanges changes = new RandomChanges(Long.parseLong(arguments[1]));
        try (NetworkNamespace namespace = kernel.openNamed(arguments[0]);
                NftTables tables = namespace.call(kernel::nftTables)) {
            NftablesProxy proxy = new NftablesProxy(
                    CONFIG,
                    List.of(IpFamily.values()),
                    new WatchedTables(tables, Integer.parseInt(arguments[3])),
                    true,
                    List::of);
            for (int step = 0; ; step++) {
                RandomChanges.Step next = changes.next();
                if (step >= first) {
                    System.out.println(step);
                    proxy.sync(next.snapshot(), step == first ? ChangeSet.NONE : next.changed());
                }
            }
        }
    }
}
