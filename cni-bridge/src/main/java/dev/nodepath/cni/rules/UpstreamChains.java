package dev.nodepath.cni.rules;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.command.IptablesCommand;
import dev.nodepath.linux.iptables.command.IptablesVariant;
import dev.nodepath.linux.iptables.command.TableWatch;
import dev.nodepath.linux.iptables.rule.Table;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftJump;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The iptables chains of upstream's bridge plugin for {@code ipMasq}. Each container has a chain: {@code CNI-} and 24
 * digits. For each address a rule of {@code POSTROUTING} jumps to it, with network and container in its comment.
 * Source: {@code pkg/ip/ipmasq_iptables_linux.go} of containernetworking/plugins.
 */
final class UpstreamChains {
    private static final String TABLE = "nat";
    private static final String POSTROUTING = "POSTROUTING";
    private static final String PREFIX = "CNI-";

    /** The limit of tries. Each failed try means that another program removed a rule. */
    private static final int TRIES_MAX = 100;

    private final NetworkNamespace host;
    private final String commentStart;

    UpstreamChains(NetworkNamespace host, String network) {
        this.host = host;
        this.commentStart = "name: \"" + network + "\" id: \"";
    }

    /** Whether these chains masquerade a container, in either variant. */
    boolean has(IpFamily family, String container) throws LinuxNetException {
        return !jumps(family, container::equals).isEmpty()
                || !legacyJumps(family, container::equals).isEmpty();
    }

    /** Removes the chains of containers of the network, from both variants. */
    void remove(Predicate<String> container) throws LinuxNetException {
        for (IpFamily family : IpFamily.values()) {
            removeFromNft(family, container);
            removeFromLegacy(family, container);
        }
    }

    private void removeFromNft(IpFamily family, Predicate<String> container) throws LinuxNetException {
        for (int tries = 1; ; tries++) {
            List<NftJump> jumps = jumps(family, container);
            if (jumps.isEmpty()) {
                return;
            }
            try {
                host.nftApply(removal(family, jumps));
                return;
            } catch (LinuxNetException e) {
                if (e.errno() != Errno.ENOENT || tries == TRIES_MAX) {
                    throw e;
                }
            }
        }
    }

    private static List<NftChange> removal(IpFamily family, List<NftJump> jumps) {
        List<NftChange> changes = new ArrayList<>();
        Set<String> targets = new LinkedHashSet<>();
        for (NftJump jump : jumps) {
            changes.add(new NftChange.DeleteRule(chain(family, POSTROUTING), jump.handle()));
            targets.add(jump.target());
        }
        for (String target : targets) {
            changes.add(new NftChange.FlushChain(chain(family, target)));
            changes.add(new NftChange.DeleteChain(chain(family, target)));
        }
        return changes;
    }

    private List<NftJump> jumps(IpFamily family, Predicate<String> container) throws LinuxNetException {
        List<NftJump> jumps = new ArrayList<>();
        for (NftJump jump : host.nftJumps(chain(family, POSTROUTING))) {
            if (jump.target().startsWith(PREFIX)
                    && containerOf(jump.comment()).filter(container).isPresent()) {
                jumps.add(jump);
            }
        }
        return jumps;
    }

    private static NftChain chain(IpFamily family, String name) {
        return new NftChain(new NftTable(NftFamily.of(family), TABLE), name, Optional.empty());
    }

    private void removeFromLegacy(IpFamily family, Predicate<String> container) throws LinuxNetException {
        List<String> jumps = legacyJumps(family, container);
        if (jumps.isEmpty()) {
            return;
        }
        StringBuilder text = new StringBuilder("*" + TABLE + "\n");
        Set<String> targets = new LinkedHashSet<>();
        for (String jump : jumps) {
            text.append("-D " + POSTROUTING + " ").append(jump).append('\n');
            targets.add(target(jump));
        }
        for (String target : targets) {
            text.append("-F ").append(target).append("\n-X ").append(target).append('\n');
        }
        int unused = host.call(() -> {
            legacy(family).restore(text + "COMMIT\n");
            return targets.size();
        });
    }

    /** The rules as the command lists them. It runs no command without a legacy table. */
    private List<String> legacyJumps(IpFamily family, Predicate<String> container) throws LinuxNetException {
        if (!host.legacyTables(family).contains(TABLE)) {
            return List.of();
        }
        List<String> jumps = new ArrayList<>();
        for (String rule :
                host.call(() -> legacy(family).rules(Table.NAT, POSTROUTING).orElse(List.of()))) {
            String plain = rule.replace("\\\"", "\"");
            if (target(rule).startsWith(PREFIX)
                    && containerOf(plain).filter(container).isPresent()) {
                jumps.add(rule);
            }
        }
        return jumps;
    }

    private static IptablesCommand legacy(IpFamily family) {
        return new IptablesCommand(family, Optional.of(IptablesVariant.LEGACY), List.of(), new TableWatch.Blind());
    }

    /** The word behind {@code -j}; empty if there is none. */
    private static String target(String rule) {
        String option = " -j ";
        int start = rule.lastIndexOf(option);
        return start < 0 ? "" : rule.substring(start + option.length()).split(" ", -1)[0];
    }

    /** The container of a rule; empty if it is of another network. */
    private Optional<String> containerOf(String comment) {
        int start = comment.indexOf(commentStart);
        int end = start < 0 ? -1 : comment.indexOf('"', start + commentStart.length());
        return end < 0 ? Optional.empty() : Optional.of(comment.substring(start + commentStart.length(), end));
    }
}
