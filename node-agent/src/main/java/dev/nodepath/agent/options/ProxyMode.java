package dev.nodepath.agent.options;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.iptables.CountedPackets;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.nftables.NftablesProxy;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The proxy modes. */
public enum ProxyMode {
    USERSPACE {
        @Override
        public void removeRules(List<? extends Iptables> families) throws IptablesException {
            removeEach(families, UserspaceProxy::removeRules);
        }
    },
    IPTABLES {
        @Override
        public void removeRules(List<? extends Iptables> families) throws IptablesException {
            removeEach(families, IptablesProxy::removeRules);
            removeCounters();
        }
    },
    NFTABLES {
        @Override
        public void removeRules(List<? extends Iptables> families) throws IptablesException {
            try (NftTables nft = new KernelLinuxNet().nftTables()) {
                removeEach(families, iptables -> removeTable(nft, iptables.family()));
            } catch (LinuxNetException e) {
                throw new IptablesException(String.valueOf(e.getMessage()), e);
            }
        }

        private void removeTable(NftTables nft, IpFamily family) throws IptablesException {
            try {
                NftablesProxy.removeTable(nft, family);
            } catch (LinuxNetException e) {
                throw new IptablesException(String.valueOf(e.getMessage()), e);
            }
        }
    };

    private static final Logger LOG = LoggerFactory.getLogger(ProxyMode.class);

    /** Removes every rule of this mode that one variant of iptables has in this process's namespace. */
    public void removeRules(Optional<IptablesVariant> variant) throws IptablesException {
        removeRules(Arrays.stream(IpFamily.values())
                .map(family -> new IptablesCommand(family, variant))
                .toList());
    }

    /** Removes the rules of this mode with given commands of one iptables variant. */
    public abstract void removeRules(List<? extends Iptables> families) throws IptablesException;

    /** The failure of one family does not keep the other. */
    private static void removeEach(List<? extends Iptables> families, RuleRemoval removal) throws IptablesException {
        IptablesException failure = null;
        for (Iptables iptables : families) {
            try {
                removal.remove(iptables);
            } catch (IptablesException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Removes the packet counters. No rule may use them any more, so this runs after the last family. */
    private static void removeCounters() {
        try (PacketCounters counters = new KernelLinuxNet().packetCounters()) {
            CountedPackets.deleteAll(counters);
        } catch (LinuxNetException e) {
            LOG.atDebug().addKeyValue("error", e.getMessage()).log("rules.counters_not_removed");
        }
    }

    /** The other modes. */
    public Set<ProxyMode> others() {
        return EnumSet.complementOf(EnumSet.of(this));
    }

    /** The mode's name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
