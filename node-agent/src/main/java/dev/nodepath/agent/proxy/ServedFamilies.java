package dev.nodepath.agent.proxy;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.agent.options.VariantOption;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.TableWatch;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.nftables.NftablesProxy;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The address families that a proxy serves, and the iptables commands for them.
 *
 * @param iptables a command for each family. In nftables mode, which uses them only to remove the rules of other
 *     modes, empty if iptables cannot be used on the host
 * @param watch the watch that the commands share
 */
record ServedFamilies(List<IpFamily> families, List<IptablesCommand> iptables, TableWatch watch)
        implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServedFamilies.class);
    private static final String IPV6_DISABLED = "net/ipv6/conf/all/disable_ipv6";

    /**
     * The families of this process's network namespace.
     *
     * @throws IOException if IPv4 cannot be served; an {@link IptablesException} tells whether it can be later
     */
    static ServedFamilies open(ProxyMode mode, VariantOption variant, KernelLinuxNet net) throws IOException {
        ServedFamilies served = mode == ProxyMode.NFTABLES ? ofTables(variant, net) : ofRules(variant);
        served.removeUnservedTables(net);
        return served;
    }

    /** No process keeps the table of an unserved family, so it would send packets to removed endpoints. */
    private void removeUnservedTables(KernelLinuxNet net) {
        for (IpFamily family : IpFamily.values()) {
            if (families.contains(family)) {
                continue;
            }
            try (NftTables nft = net.nftTables()) {
                if (NftablesProxy.removeTable(nft, family)) {
                    LOG.atInfo().addKeyValue("family", family).log("proxy.table_removed");
                }
            } catch (LinuxNetException e) {
                LOG.atWarn()
                        .addKeyValue("family", family)
                        .addKeyValue("error", e.getMessage())
                        .log("proxy.table_not_removed");
            }
        }
    }

    /** The families that iptables commands work for. */
    private static ServedFamilies ofRules(VariantOption variant) throws IptablesException {
        TableWatch watch = variant.watch();
        try {
            List<IptablesCommand> iptables = variant.usableFamilies(watch);
            return new ServedFamilies(iptables.stream().map(Iptables::family).toList(), iptables, watch);
        } catch (IptablesException | RuntimeException e) {
            watch.close();
            throw e;
        }
    }

    /** The families of the kernel. Rules of other modes stay where no iptables program works; the log says so. */
    private static ServedFamilies ofTables(VariantOption variant, KernelLinuxNet net) throws LinuxNetException {
        List<IpFamily> families = hasIpv6(net) ? List.of(IpFamily.values()) : List.of(IpFamily.IPV4);
        return new ServedFamilies(families, removing(families, variant), new TableWatch.Blind());
    }

    /**
     * The commands that remove rules of other modes; none if there are no programs, or the kernel has no part for
     * them.
     */
    private static List<IptablesCommand> removing(List<IpFamily> families, VariantOption variant) {
        try {
            variant.command(IpFamily.IPV4).check();
        } catch (IptablesException e) {
            if (!e.isTemporary()) {
                LOG.atWarn().addKeyValue("error", e.getMessage()).log("proxy.other_modes_skipped");
                return List.of();
            }
        }
        return families.stream().map(variant::command).toList();
    }

    private static boolean hasIpv6(KernelLinuxNet net) throws LinuxNetException {
        try (NetworkNamespace namespace = net.current();
                NftTables nft = net.nftTables()) {
            Optional<String> problem = ipv6Problem(namespace);
            if (problem.isEmpty() && !NftablesProxy.canServe(nft, IpFamily.IPV6)) {
                problem = Optional.of("nf_tables: no tables of family ip6 in this kernel");
            }
            problem.ifPresent(text -> LOG.atWarn()
                    .addKeyValue("family", IpFamily.IPV6)
                    .addKeyValue("error", text)
                    .log("proxy.family_skipped"));
            return problem.isEmpty();
        }
    }

    /** The setting is for all links; one may have been given IPv6 again. */
    private static Optional<String> ipv6Problem(NetworkNamespace namespace) throws LinuxNetException {
        try {
            boolean disabled = namespace.sysctl(IPV6_DISABLED).equals("1")
                    && namespace.hostAddresses().stream().noneMatch(address -> address.family() == IpFamily.IPV6);
            return disabled ? Optional.of(IPV6_DISABLED + ": 1, and no link has an IPv6 address") : Optional.empty();
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.ENOENT) {
                return Optional.of("kernel: no IPv6");
            }
            throw e;
        }
    }

    @Override
    public void close() {
        watch.close();
    }
}
