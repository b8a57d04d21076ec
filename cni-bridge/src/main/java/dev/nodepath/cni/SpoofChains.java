package dev.nodepath.cni;

import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The chains of table {@code bridge nat} by which upstream's plugin and earlier versions of this one did {@code
 * macspoofchk}. They stay in force until they are removed; {@link SourceCheck} has taken their place.
 */
final class SpoofChains {
    private static final String TABLE = "nat";

    private static final String COMMENT = "macspoofchk-";

    /**
     * The length of the attachment in a name. A chain name has at most 255 characters, a comment with the network's
     * hash 127.
     */
    private static final int TEXT_MAX = 90;

    private final NetworkNamespace host;
    private final RuleOwner owner;
    /**
     * In the comment of the rule that leads to an interface's chain. By it GC finds the rule without the attachment.
     */
    private final String networkHash;

    private final Chains chains;

    /** The rules of one attachment in the node's namespace. */
    SpoofChains(NetworkNamespace host, LinkIdentity identity) {
        this.host = host;
        this.owner = new RuleOwner(host, identity, TEXT_MAX);
        this.networkHash = identity.networkHash();
        this.chains = new Chains(owner.name(), networkHash);
    }

    /**
     * The chains of a name, and the comments of the rules. Upstream's are the same if the name has no slash.
     *
     * @param name the attachment
     */
    private record Chains(String name, String networkHash) {
        NftChain ofInterface() {
            return chain("cni-br-iface-" + name, Optional.empty());
        }

        NftChain ofMac() {
            return chain(ofInterface().name() + (name.indexOf('/') < 0 ? "-mac" : "/mac"), Optional.empty());
        }

        /** The comment on upstream's rules. */
        String comment() {
            return COMMENT + name;
        }

        String jumpComment() {
            return comment() + " " + networkHash;
        }

        /** Includes upstream's rules, so that a DEL removes them after upstream's ADD. */
        List<NftListedRule> jumps(List<NftListedRule> listed) {
            List<NftListedRule> jumps = new ArrayList<>();
            for (NftListedRule rule : listed) {
                if (rule.comment().equals(jumpComment()) || rule.comment().equals(comment())) {
                    jumps.add(rule);
                }
            }
            return jumps;
        }

        /** Chain names do not include the network. */
        boolean areUsedByAnotherNetwork(List<NftListedRule> listed) {
            return listed.stream()
                    .anyMatch(rule -> rule.comment().startsWith(comment() + " ")
                            && !rule.comment().equals(jumpComment()));
        }

        boolean areIn(NetworkNamespace host) throws LinuxNetException {
            return !host.nftRules(ofInterface()).isEmpty()
                    || !host.nftRules(ofMac()).isEmpty();
        }
    }

    /** Removes the rules of all attachments of a network but these. */
    static void removeOthers(NetworkNamespace host, String network, Set<Attachment> valid) throws LinuxNetException {
        String hash = new LinkIdentity(network, new Attachment("", "")).networkHash();
        List<NftListedRule> listed = host.nftRules(prerouting());
        Set<String> present = names(listed, hash);
        Set<String> kept = RuleOwner.kept(network, valid, TEXT_MAX, present);
        for (String name : present) {
            if (!kept.contains(name)) {
                remove(host, new Chains(name, hash), listed);
            }
        }
    }

    /** The attachments of a network that have a rule. */
    private static Set<String> names(List<NftListedRule> listed, String networkHash) {
        Set<String> names = new HashSet<>();
        for (NftListedRule rule : listed) {
            String[] words = rule.comment().split(" ", -1);
            if (words.length == 2 && words[0].startsWith(COMMENT) && words[1].equals(networkHash)) {
                names.add(words[0].substring(COMMENT.length()));
            }
        }
        return names;
    }

    private static NftChain prerouting() {
        return chain("PREROUTING", Optional.of(NftChain.Hook.BRIDGE_PREROUTING));
    }

    private static NftChain chain(String name, Optional<NftChain.Hook> hook) {
        return new NftChain(new NftTable(NftFamily.BRIDGE, TABLE), name, hook);
    }

    /** Whether the rules are there. */
    boolean isPresent() throws LinuxNetException {
        List<NftListedRule> listed = host.nftRules(prerouting());
        for (Chains each : List.of(chains, new Chains(owner.earlierName(), networkHash))) {
            if (!each.jumps(listed).isEmpty()
                    && !host.nftRules(each.ofInterface()).isEmpty()
                    && host.nftRules(each.ofMac()).size() == 2) {
                return true;
            }
        }
        return false;
    }

    /** Removes the rules. Having none is no error. */
    void remove() throws LinuxNetException {
        List<NftListedRule> listed = host.nftRules(prerouting());
        if (!owner.name().equals(owner.earlierName())) {
            remove(host, chains, listed);
        }
        removeEarlier(listed);
    }

    /** Removes the rules with the name of an earlier version, unless a namesake may need them. */
    private void removeEarlier(List<NftListedRule> listed) throws LinuxNetException {
        Chains earlier = new Chains(owner.earlierName(), networkHash);
        Set<String> present = names(listed, networkHash);
        if (!earlier.jumps(listed).isEmpty()) {
            present.add(earlier.name());
        }
        if (owner.names(present).contains(earlier.name())) {
            remove(host, earlier, listed);
        }
    }

    private static void remove(NetworkNamespace host, Chains chains, List<NftListedRule> listed)
            throws LinuxNetException {
        List<NftListedRule> jumps = chains.jumps(listed);
        boolean chained = !chains.areUsedByAnotherNetwork(listed) && chains.areIn(host);
        if (jumps.isEmpty() && !chained) {
            return;
        }
        List<NftChange> changes = new ArrayList<>();
        for (NftListedRule jump : jumps) {
            changes.add(new NftChange.DeleteRule(prerouting(), jump.handle()));
        }
        List<NftChange> withChains = new ArrayList<>(changes);
        if (chained) {
            withChains.add(new NftChange.FlushChain(chains.ofInterface()));
            withChains.add(new NftChange.FlushChain(chains.ofMac()));
            withChains.add(new NftChange.DeleteChain(chains.ofInterface()));
            withChains.add(new NftChange.DeleteChain(chains.ofMac()));
        }
        try {
            host.nftApply(withChains);
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.EBUSY) { // an earlier version gave another attachment a chain of this name
                host.nftApply(changes);
            } else if (e.errno() != Errno.ENOENT) { // taken away meanwhile by another call
                throw e;
            }
        }
    }
}
