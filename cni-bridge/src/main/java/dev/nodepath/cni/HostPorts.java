package dev.nodepath.cni;

import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.config.PortMapping;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Leads ports of the node to an attachment, as upstream's portmap plugin does: from outside, from containers, and from
 * the node itself, including 127.0.0.1. One table for each IP version; a rule's comment names its owner.
 */
final class HostPorts {
    private static final String TABLE = "nodepath_hostports";
    private static final Cidr LOOPBACK_IPV4 = Cidr.parse("127.0.0.0/8");
    private static final Cidr LOOPBACK_IPV6 = Cidr.parse("::1/128");

    /** The length of the owner in a comment, behind the hash of the network. */
    private static final int OWNER_MAX = 72;

    private final NetworkNamespace host;
    private final LinkIdentity identity;

    /** The ports of an attachment. */
    HostPorts(NetworkNamespace host, LinkIdentity identity) {
        this.host = host;
        this.identity = identity;
    }

    /**
     * Makes sure that the attachment has exactly the rules of these mappings.
     *
     * @param addresses of the container
     * @param bridge through which the node reaches it
     */
    void ensure(List<IpAddress> addresses, List<PortMapping> mappings, String bridge) throws LinuxNetException {
        List<NftChange> added = new ArrayList<>();
        for (IpAddress address : addresses) {
            Chains chains = Chains.of(address.family());
            List<PortMapping> its = mappings.stream()
                    .filter(mapping -> mapping.hostAddress()
                            .map(each -> each.family() == address.family())
                            .orElse(true))
                    .toList();
            if (!its.isEmpty()) {
                added.addAll(chains.make());
                its.forEach(mapping -> added.addAll(chains.lead(mapping, address, comment())));
                added.addAll(chains.answer(address, comment()));
            }
        }
        if (added.stream().anyMatch(NftChange.AddRule.class::isInstance)
                && addresses.stream().anyMatch(address -> address.family() == IpFamily.IPV4)) {
            // Packets of 127.0.0.1 go out through the bridge. A rule keeps the others from 127.0.0.1.
            host.setSysctl("net/ipv4/conf/" + bridge + "/route_localnet", "1");
        }
        replace(host, comment()::equals, added);
    }

    /** Removes the attachment's rules, if it has any. */
    void remove() throws LinuxNetException {
        replace(host, comment()::equals, List.of());
    }

    /** Removes the rules of all other attachments of a network. */
    static void removeOthers(NetworkNamespace host, String network, Set<Attachment> valid) throws LinuxNetException {
        Set<String> kept = new HashSet<>();
        valid.forEach(attachment -> kept.add(comment(new LinkIdentity(network, attachment))));
        String prefix = new LinkIdentity(network, new Attachment("", "")).networkHash() + " ";
        replace(host, comment -> comment.startsWith(prefix) && !kept.contains(comment), List.of());
    }

    private static void replace(NetworkNamespace host, Predicate<String> stale, List<NftChange> added)
            throws LinuxNetException {
        RuleChanges.apply(host, () -> {
            List<NftChange> changes = new ArrayList<>();
            for (IpFamily family : IpFamily.values()) {
                changes.addAll(Chains.of(family).without(host, stale));
            }
            changes.addAll(added);
            return changes;
        });
    }

    private String comment() {
        return comment(identity);
    }

    private static String comment(LinkIdentity identity) {
        return identity.networkHash() + " " + identity.shortName(OWNER_MAX);
    }

    /**
     * The chains of one IP version.
     *
     * @param local packets of the node itself; each mapping has a rule there
     * @param outside all others
     * @param answers gives packets a source that the container answers through the node
     * @param guard keeps neighbours from programs that listen on 127.0.0.1 alone
     */
    private record Chains(IpFamily family, NftChain local, NftChain outside, NftChain answers, NftChain guard) {
        static Chains of(IpFamily family) {
            NftTable table = new NftTable(NftFamily.of(family), TABLE);
            return new Chains(
                    family,
                    chain(table, "output", NftChain.Hook.of("nat", "output", -100)),
                    chain(table, "prerouting", NftChain.Hook.of("nat", "prerouting", -100)),
                    chain(table, "postrouting", NftChain.Hook.of("nat", "postrouting", 100)),
                    chain(table, "input", NftChain.Hook.of("filter", "input", 0)));
        }

        private static NftChain chain(NftTable table, String name, NftChain.Hook hook) {
            return new NftChain(table, name, Optional.of(hook));
        }

        /** Adding them again is harmless. */
        List<NftChange> make() {
            List<NftChange> changes = new ArrayList<>();
            changes.add(new NftChange.AddTable(local.table()));
            changes.add(new NftChange.AddChain(local));
            changes.add(new NftChange.AddChain(outside));
            changes.add(new NftChange.AddChain(answers));
            if (family == IpFamily.IPV4) {
                changes.add(new NftChange.AddChain(guard));
                changes.add(new NftChange.FlushChain(guard));
                changes.add(new NftChange.AddRule(
                        guard,
                        NftRule.of(
                                new NftStatement.InputInterface("lo", true),
                                NftStatement.destinationIn(LOOPBACK_IPV4),
                                new NftStatement.NewConnection(),
                                NftVerdict.DROP)));
            }
            return changes;
        }

        List<NftChange> lead(PortMapping mapping, IpAddress to, String comment) {
            Optional<IpAddress> given = mapping.hostAddress()
                    .filter(address -> !address.toInetAddress().isAnyLocalAddress());
            NftStatement target = given.<NftStatement>map(
                            address -> NftStatement.destinationIn(new Cidr(address, family.bits())))
                    .orElse(new NftStatement.AddressLocal(NftField.DESTINATION_ADDRESS));
            NftStatement port = new NftStatement.DestinationPort(mapping.protocol(), mapping.hostPort());
            NftStatement dnat = new NftStatement.Dnat(new NftStatement.Destination(to, mapping.containerPort()));
            List<NftStatement> here = new ArrayList<>(List.of(target, port, dnat));
            if (family == IpFamily.IPV6) {
                // The kernel routes no packet of ::1 out of the node.
                here.add(0, NftStatement.destinationNotIn(LOOPBACK_IPV6));
            }
            List<NftChange> changes = new ArrayList<>();
            changes.add(new NftChange.AddRule(local, new NftRule(here, comment)));
            if (given.filter(address -> address.toInetAddress().isLoopbackAddress())
                    .isEmpty()) {
                changes.add(new NftChange.AddRule(outside, new NftRule(List.of(target, port, dnat), comment)));
            }
            return changes;
        }

        /** A container that reaches itself, and programs of the node that ask 127.0.0.1, get another source. */
        List<NftChange> answer(IpAddress address, String comment) {
            Cidr alone = new Cidr(address, family.bits());
            List<NftChange> changes = new ArrayList<>();
            for (Cidr source : family == IpFamily.IPV4 ? List.of(alone, LOOPBACK_IPV4) : List.of(alone)) {
                changes.add(new NftChange.AddRule(
                        answers,
                        new NftRule(
                                List.of(
                                        NftStatement.sourceIn(source),
                                        NftStatement.destinationIn(alone),
                                        new NftStatement.DestinationTranslated(),
                                        new NftStatement.Masquerade()),
                                comment)));
            }
            return changes;
        }

        /** Most attachments have no rules: one look tells. */
        List<NftChange> without(NetworkNamespace host, Predicate<String> stale) throws LinuxNetException {
            List<NftChange> changes = new ArrayList<>(deletions(host, local, stale));
            if (!changes.isEmpty()) {
                changes.addAll(deletions(host, outside, stale));
                changes.addAll(deletions(host, answers, stale));
            }
            return changes;
        }

        private static List<NftChange> deletions(NetworkNamespace host, NftChain chain, Predicate<String> stale)
                throws LinuxNetException {
            List<NftChange> deletions = new ArrayList<>();
            for (NftListedRule rule : host.nftRules(chain)) {
                if (stale.test(rule.comment())) {
                    deletions.add(new NftChange.DeleteRule(chain, rule.handle()));
                }
            }
            return deletions;
        }
    }
}
