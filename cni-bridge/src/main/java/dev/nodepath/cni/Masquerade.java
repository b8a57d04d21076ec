package dev.nodepath.cni;

import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.config.NetworkConfig;
import dev.nodepath.cni.ipam.Attachment;
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
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Masquerades the packets that an attachment sends out of its subnets. Each network has a chain with one rule per
 * address. The rule's comment names address and owner. ADD makes the rules and DEL removes them.
 */
final class Masquerade {
    private static final String TABLE = "nodepath_cni";
    private static final Cidr MULTICAST_IPV4 = Cidr.parse("224.0.0.0/4");
    private static final Cidr MULTICAST_IPV6 = Cidr.parse("ff00::/8");

    private static final String CHAIN = "network-";

    /** A chain's name has at most 255 characters, as a network's has. */
    private static final int NETWORK_NAME_MAX = 255 - CHAIN.length();

    /** Earlier versions cut a network's name to this length, so that networks could share a chain. */
    private static final int EARLIER_NAME_MAX = 240;

    /** The length of the owner in a comment. A comment has at most 127 characters and begins with an address. */
    private static final int OWNER_MAX = 72;

    /** Between address and owner in a comment, if the subnet is masqueraded too. */
    private static final String WITHIN_SUBNET = " within";

    private final NetworkNamespace host;
    private final String network;
    private final NftChain chain;
    private final RuleOwner owner;

    /** The rules of an attachment. */
    Masquerade(NetworkNamespace host, LinkIdentity identity) {
        this.host = host;
        this.network = identity.network();
        this.chain = chain(network);
        this.owner = new RuleOwner(host, identity, OWNER_MAX);
    }

    /** Whether an address of the attachment has its rule. */
    boolean covers(Cidr address, NetworkConfig.MasqueradeConfig config) throws LinuxNetException {
        Set<String> wanted = new HashSet<>();
        wanted.add(comment(address, config, owner.name()));
        wanted.add(comment(address, config, owner.earlierName()));
        for (NftChain each : chains(network)) {
            if (host.nftRules(each).stream().anyMatch(rule -> wanted.contains(rule.comment()))) {
                return true;
            }
        }
        return false;
    }

    /** Makes sure that the attachment has exactly the rules of these addresses. */
    void ensure(List<Cidr> addresses, NetworkConfig.MasqueradeConfig config) throws LinuxNetException {
        RuleChanges.apply(host, () -> changesFor(addresses, config));
    }

    /** Removes the attachment's rules. Having none is no error. */
    void remove() throws LinuxNetException {
        ensure(List.of(), NetworkConfig.MasqueradeConfig.NONE);
    }

    /** Removes the rules of all other attachments of a network, and its chain if no attachment is valid. */
    static void removeOthers(NetworkNamespace host, String network, Set<Attachment> valid) throws LinuxNetException {
        NftChain chain = chain(network);
        List<NftChange> changes = new ArrayList<>();
        if (valid.isEmpty()) {
            changes.add(new NftChange.FlushChain(chain));
            changes.add(new NftChange.DeleteChain(chain));
        }
        List<NftListedRule> rules = valid.isEmpty() ? List.of() : host.nftRules(chain);
        Set<String> kept = RuleOwner.kept(network, valid, OWNER_MAX, owners(rules));
        for (NftListedRule rule : rules) {
            String owner = ownerOf(rule);
            if (!owner.isEmpty() && !kept.contains(owner)) {
                changes.add(new NftChange.DeleteRule(chain, rule.handle()));
            }
        }
        try {
            host.nftApply(changes);
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENOENT) { // there was none, or another call has taken it away
                throw e;
            }
        }
    }

    private static NftChain chain(String network) {
        return named(
                network.length() <= NETWORK_NAME_MAX
                        ? CHAIN + network
                        : "long-" + CHAIN + new LinkIdentity(network, new Attachment("", "")).networkHash());
    }

    /** The chain of a network, and the one that an earlier version gave it. */
    private static List<NftChain> chains(String network) {
        return network.length() <= EARLIER_NAME_MAX
                ? List.of(chain(network))
                : List.of(chain(network), named(CHAIN + network.substring(0, EARLIER_NAME_MAX)));
    }

    private static NftChain named(String name) {
        return new NftChain(new NftTable(NftFamily.INET, TABLE), name, Optional.of(NftChain.Hook.POSTROUTING_NAT));
    }

    private List<NftChange> changesFor(List<Cidr> addresses, NetworkConfig.MasqueradeConfig config)
            throws LinuxNetException {
        Map<String, NftRule> missing = new LinkedHashMap<>();
        Set<String> given = new HashSet<>();
        for (Cidr address : addresses) {
            given.add(address.toString());
            if (config.isFor(address.family())) {
                missing.put(comment(address, config, owner.name()), rule(address, config));
            }
        }
        List<NftChange> changes = new ArrayList<>();
        for (NftChain each : chains(network)) {
            List<NftListedRule> rules = host.nftRules(each);
            Set<String> names = owner.names(owners(rules));
            for (NftListedRule rule : rules) {
                // An address of this attachment belongs to no other one, so a rule of another owner is stale.
                boolean ours = names.contains(ownerOf(rule)) || given.contains(addressOf(rule));
                boolean wanted = each.name().equals(chain.name()) && missing.remove(rule.comment()) != null;
                if (ours && !wanted) {
                    changes.add(new NftChange.DeleteRule(each, rule.handle()));
                }
            }
        }
        if (!missing.isEmpty()) {
            // Adding them again is harmless.
            changes.add(new NftChange.AddTable(chain.table()));
            changes.add(new NftChange.AddChain(chain));
            missing.values().forEach(rule -> changes.add(new NftChange.AddRule(chain, rule)));
        }
        return changes;
    }

    private NftRule rule(Cidr address, NetworkConfig.MasqueradeConfig config) {
        boolean ipv4 = address.family() == IpFamily.IPV4;
        List<NftStatement> statements = new ArrayList<>();
        statements.add(NftStatement.sourceIn(
                new Cidr(address.address(), address.family().bits())));
        if (!config.withinSubnet()) {
            statements.add(NftStatement.destinationNotIn(address.network()));
        }
        statements.add(NftStatement.destinationNotIn(ipv4 ? MULTICAST_IPV4 : MULTICAST_IPV6));
        statements.add(new NftStatement.Masquerade());
        return new NftRule(statements, comment(address, config, owner.name()));
    }

    private static String comment(Cidr address, NetworkConfig.MasqueradeConfig config, String owner) {
        return address + (config.withinSubnet() ? WITHIN_SUBNET : "") + " " + owner;
    }

    private static Set<String> owners(List<NftListedRule> rules) {
        Set<String> owners = new HashSet<>();
        rules.forEach(rule -> owners.add(ownerOf(rule)));
        return owners;
    }

    private static String addressOf(NftListedRule rule) {
        int end = rule.comment().indexOf(' ');
        return end < 0 ? "" : rule.comment().substring(0, end);
    }

    /** Empty for a rule of an older version, which is for a whole subnet. */
    private static String ownerOf(NftListedRule rule) {
        int start = rule.comment().lastIndexOf(' ');
        return start < 0 ? "" : rule.comment().substring(start + 1);
    }
}
