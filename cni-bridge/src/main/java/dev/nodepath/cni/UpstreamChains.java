package dev.nodepath.cni;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftJump;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The iptables chains of upstream's bridge plugin for {@code ipMasq}. Each container has a chain: {@code CNI-} and 24
 * digits. All its interfaces share it. For each address a rule of {@code POSTROUTING} jumps to it, with network and
 * container in its comment. Source: {@code pkg/ip/ipmasq_iptables_linux.go} of containernetworking/plugins.
 */
final class UpstreamChains {
    private static final String TABLE = "nat";
    private static final String POSTROUTING = "POSTROUTING";
    private static final String PREFIX = "CNI-";

    private final NetworkNamespace host;
    private final String commentStart;

    UpstreamChains(NetworkNamespace host, String network) {
        this.host = host;
        this.commentStart = "name: \"" + network + "\" id: \"";
    }

    /**
     * A rule of {@code POSTROUTING} that leads to another chain.
     *
     * @param rule the handle or text that deletes it
     * @param text includes its comment
     * @param source the only source address that it matches; empty if there are more
     */
    private record Jump<R>(R rule, String target, String text, Optional<IpAddress> source) {}

    /** Whether these chains masquerade a container, in either variant. */
    boolean has(IpFamily family, String container) throws LinuxNetException {
        return nftJumps(family).stream().anyMatch(jump -> isOf(container::equals, jump))
                || legacyJumps(family).stream().anyMatch(jump -> isOf(container::equals, jump));
    }

    /**
     * Removes the rules of containers of the network, from both variants, and the chains that no other rule leads to.
     *
     * @param kept the addresses whose rules stay
     */
    void remove(Predicate<String> container, UpstreamMasquerade.Kept kept) throws IOException {
        for (IpFamily family : IpFamily.values()) {
            removeFromNft(family, container, kept);
            removeFromLegacy(family, container, kept);
        }
    }

    private void removeFromNft(IpFamily family, Predicate<String> container, UpstreamMasquerade.Kept kept)
            throws IOException {
        RuleChanges.apply(host, () -> {
            List<Jump<Long>> all = nftJumps(family);
            List<Jump<Long>> removed = removed(all, container, kept);
            List<NftChange> changes = new ArrayList<>();
            for (Jump<Long> jump : removed) {
                changes.add(new NftChange.DeleteRule(chain(family, POSTROUTING), jump.rule()));
            }
            for (String target : unused(all, removed)) {
                changes.add(new NftChange.FlushChain(chain(family, target)));
                changes.add(new NftChange.DeleteChain(chain(family, target)));
            }
            return changes;
        });
    }

    private List<Jump<Long>> nftJumps(IpFamily family) throws LinuxNetException {
        List<Jump<Long>> jumps = new ArrayList<>();
        for (NftJump jump : host.nftJumps(chain(family, POSTROUTING))) {
            jumps.add(new Jump<>(jump.handle(), jump.target(), jump.comment(), jump.source()));
        }
        return jumps;
    }

    private static NftChain chain(IpFamily family, String name) {
        return new NftChain(new NftTable(NftFamily.of(family), TABLE), name, Optional.empty());
    }

    private void removeFromLegacy(IpFamily family, Predicate<String> container, UpstreamMasquerade.Kept kept)
            throws IOException {
        List<Jump<String>> all = legacyJumps(family);
        List<Jump<String>> removed = removed(all, container, kept);
        if (removed.isEmpty()) {
            return;
        }
        StringBuilder text = new StringBuilder("*" + TABLE + "\n");
        for (Jump<String> jump : removed) {
            text.append("-D " + POSTROUTING + " ").append(jump.rule()).append('\n');
        }
        for (String target : unused(all, removed)) {
            text.append("-F ").append(target).append("\n-X ").append(target).append('\n');
        }
        host.call(() -> {
            legacy(family).restore(text + "COMMIT\n");
            return removed.size();
        });
    }

    /** The rules as the command lists them. It runs no command without a legacy table. */
    private List<Jump<String>> legacyJumps(IpFamily family) throws LinuxNetException {
        if (!host.legacyTables(family).contains(TABLE)) {
            return List.of();
        }
        List<Jump<String>> jumps = new ArrayList<>();
        for (String rule :
                host.call(() -> legacy(family).rules(Table.NAT, POSTROUTING).orElse(List.of()))) {
            jumps.add(new Jump<>(rule, target(rule), rule.replace("\\\"", "\""), source(rule)));
        }
        return jumps;
    }

    private <R> List<Jump<R>> removed(List<Jump<R>> jumps, Predicate<String> container, UpstreamMasquerade.Kept kept)
            throws IOException {
        List<Jump<R>> removed = new ArrayList<>(jumps);
        removed.removeIf(jump -> !isOf(container, jump));
        if (!removed.isEmpty()) {
            Set<IpAddress> addresses = kept.addresses();
            removed.removeIf(jump -> jump.source().filter(addresses::contains).isPresent());
        }
        return removed;
    }

    private boolean isOf(Predicate<String> container, Jump<?> jump) {
        return jump.target().startsWith(PREFIX)
                && containerOf(jump.text()).filter(container).isPresent();
    }

    /** The target chains of the removed rules alone. */
    private static <R> Set<String> unused(List<Jump<R>> all, List<Jump<R>> removed) {
        Set<String> targets = new LinkedHashSet<>();
        removed.forEach(jump -> targets.add(jump.target()));
        for (Jump<R> jump : all) {
            if (!removed.contains(jump)) {
                targets.remove(jump.target());
            }
        }
        return targets;
    }

    private static IptablesCommand legacy(IpFamily family) {
        return new IptablesCommand(family, Optional.of(IptablesVariant.LEGACY));
    }

    /** The word behind {@code -j}; empty if there is none. */
    private static String target(String rule) {
        String option = " -j ";
        int start = rule.lastIndexOf(option);
        return start < 0 ? "" : rule.substring(start + option.length()).split(" ", -1)[0];
    }

    /** The address behind {@code -s}, which the command lists first; empty if it is a network or missing. */
    private static Optional<IpAddress> source(String rule) {
        String[] words = rule.split(" ", 3);
        if (words.length < 3 || !words[0].equals("-s")) {
            return Optional.empty();
        }
        try {
            Cidr source = Cidr.parse(words[1]);
            return Optional.of(source.address()).filter(address -> source.equals(Cidr.single(address)));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // a mask that is no prefix, in another program's rule
        }
    }

    /** The container of a rule; empty if it is of another network. */
    private Optional<String> containerOf(String comment) {
        int start = comment.indexOf(commentStart);
        int end = start < 0 ? -1 : comment.indexOf('"', start + commentStart.length());
        return end < 0 ? Optional.empty() : Optional.of(comment.substring(start + commentStart.length(), end));
    }
}
