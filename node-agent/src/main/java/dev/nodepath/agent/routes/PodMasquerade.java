package dev.nodepath.agent.routes;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftFamily;
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
 * Masquerades traffic of this node's pods that leaves the cluster. Its chain of nf_tables returns traffic inside, and
 * masquerades other unicast traffic of these pods. It is rewritten when the networks change.
 */
final class PodMasquerade {
    static final NftChain CHAIN = new NftChain(
            new NftTable(NftFamily.INET, "nodepath"), "pod-masquerade", Optional.of(NftChain.Hook.POSTROUTING_NAT));

    private static final Cidr MULTICAST_IPV4 = Cidr.parse("224.0.0.0/4");
    private static final Cidr MULTICAST_IPV6 = Cidr.parse("ff00::/8");

    private final NetworkNamespace namespace;
    private final KeptChain chain;

    PodMasquerade(NetworkNamespace namespace) {
        this.namespace = namespace;
        this.chain = new KeptChain(namespace, CHAIN);
    }

    /**
     * Adds or repairs the rules.
     *
     * @param pods this node's podCIDRs
     * @param inside networks that pods reach with their own address
     */
    void ensure(List<Cidr> pods, List<Cidr> inside) throws LinuxNetException {
        chain.ensure(rules(pods, inside));
    }

    /** As {@link KeptChain#isLost}. */
    boolean isLost() throws LinuxNetException {
        return chain.isLost();
    }

    /** Removes the rules and their chain; nothing happens if there are none. */
    void remove() throws LinuxNetException {
        chain.remove();
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
