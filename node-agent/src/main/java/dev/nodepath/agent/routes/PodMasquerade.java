package dev.nodepath.agent.routes;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Masquerades traffic of this node's pods that leaves the cluster: a chain of nf_tables that first returns traffic
 * inside. It is rewritten in one transaction when the networks change, so no packet meets half a chain.
 */
final class PodMasquerade {
    static final NftChain CHAIN = new NftChain(
            new NftTable(NftFamily.INET, "nodepath"), "pod-masquerade", Optional.of(NftChain.Hook.POSTROUTING_NAT));

    private static final Cidr MULTICAST_IPV4 = Cidr.parse("224.0.0.0/4");
    private static final Cidr MULTICAST_IPV6 = Cidr.parse("ff00::/8");

    private final NetworkNamespace namespace;
    private volatile List<String> ensured = List.of();

    PodMasquerade(NetworkNamespace namespace) {
        this.namespace = namespace;
    }

    /**
     * Adds or repairs the rules.
     *
     * @param pods this node's podCIDRs
     * @param inside networks that pods reach with their own address
     */
    void ensure(List<Cidr> pods, List<Cidr> inside) throws LinuxNetException {
        List<NftRule> rules = rules(pods, inside);
        List<String> comments = rules.stream().map(NftRule::comment).toList();
        // Rules that were never added cannot be lost: a refused change has its own retry.
        ensured = List.of();
        if (!comments.equals(present())) {
            rewrite(rules);
        }
        ensured = comments;
    }

    private void rewrite(List<NftRule> rules) throws LinuxNetException {
        List<NftChange> changes = new ArrayList<>();
        changes.add(new NftChange.AddTable(CHAIN.table()));
        changes.add(new NftChange.AddChain(CHAIN));
        changes.add(new NftChange.FlushChain(CHAIN));
        rules.forEach(rule -> changes.add(new NftChange.AddRule(CHAIN, rule)));
        namespace.nftApply(changes);
    }

    /** Whether other programs changed the rules; true once for each loss. Thread-safe. */
    boolean isLost() throws LinuxNetException {
        List<String> expected = ensured;
        boolean lost = !expected.isEmpty() && !expected.equals(present());
        if (lost) {
            ensured = List.of();
        }
        return lost;
    }

    private List<String> present() throws LinuxNetException {
        return namespace.nftRules(CHAIN).stream().map(NftListedRule::comment).toList();
    }

    /** Removes the rules and their chain; nothing happens if there are none. */
    void remove() throws LinuxNetException {
        ensured = List.of();
        if (!namespace.nftRules(CHAIN).isEmpty()) {
            namespace.nftApply(List.of(new NftChange.FlushChain(CHAIN), new NftChange.DeleteChain(CHAIN)));
        }
    }

    /** Removes the table and its rules. Does nothing if the table is missing or the kernel has no nf_tables. */
    void removeTable() throws LinuxNetException {
        try {
            namespace.nftApply(List.of(new NftChange.DeleteTable(CHAIN.table())));
        } catch (LinuxNetException e) {
            if (!e.isMissing() && e.errno() != Errno.EOPNOTSUPP) {
                throw e;
            }
        }
    }

    /** A rule's comment contains the whole rule, so comparing comments compares rules. */
    static List<NftRule> rules(List<Cidr> pods, List<Cidr> inside) {
        List<NftRule> rules = new ArrayList<>();
        for (Cidr network : CidrCover.of(inside)) {
            rules.add(
                    new NftRule(List.of(NftStatement.destinationIn(network), NftVerdict.RETURN), "inside " + network));
        }
        for (Cidr podCidr : pods) {
            Cidr multicast = podCidr.family() == IpFamily.IPV4 ? MULTICAST_IPV4 : MULTICAST_IPV6;
            rules.add(new NftRule(
                    List.of(
                            NftStatement.sourceIn(podCidr),
                            NftStatement.destinationNotIn(multicast),
                            new NftStatement.Masquerade()),
                    "outside from " + podCidr));
        }
        return rules;
    }
}
