package dev.nodepath.bench.programming;

import dev.nodepath.bench.programming.ProgrammingSizes.Cluster;
import dev.nodepath.bench.suite.Suite;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.report.SuiteResult;
import java.util.List;

/**
 * Measures the time from an event to the kernel's rules in iptables and nftables mode. Beside it is the time that the
 * bare commands, or the bare netlink messages, take for the same change. It replaces the tables of the namespace that
 * the process is in.
 */
public final class ProgrammingSuite implements Suite {
    /**
     * The most Services whose rules are all written at once with iptables-nft. With 5000 Services that takes minutes,
     * and a round takes five.
     */
    private static final int NFT_WHOLE_MAX = 2000;

    private static final ProgrammingSizes SIZES = new ProgrammingSizes(
            List.of(100, 1000, 2000, 5000),
            NFT_WHOLE_MAX,
            List.of(
                    new Cluster(100, 10),
                    new Cluster(2000, 10),
                    new Cluster(5000, 10),
                    new Cluster(10_000, 10),
                    new Cluster(44_128, 1)));
    private static final ProgrammingSizes QUICK_SIZES = new ProgrammingSizes(
            List.of(100, 1000),
            NFT_WHOLE_MAX,
            List.of(new Cluster(100, 10), new Cluster(2000, 10), new Cluster(10_000, 10)));

    @Override
    public String name() {
        return "programming";
    }

    @Override
    public SuiteResult run(SuiteSettings settings) throws Exception {
        ProgrammingSizes sizes = settings.quick() ? QUICK_SIZES : SIZES;
        return new SuiteRun(
                        name(),
                        settings,
                        List.of(
                                new NftablesProgramming(settings, sizes.nftables()),
                                new IptablesProgramming(settings, sizes)))
                .run();
    }
}
