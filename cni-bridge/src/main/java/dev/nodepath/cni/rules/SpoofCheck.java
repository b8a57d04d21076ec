package dev.nodepath.cni.rules;

import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.linux.address.MacAddress;
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
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Drops frames of a container with a wrong source MAC, by upstream's chains of table {@code bridge nat}. */
public final class SpoofCheck {
    private static final String TABLE = "nat";

    private static final String COMMENT = "macspoofchk-";

    /**
     * The length of the attachment in a name. A chain name has at most 255 characters, a comment with the network's
     * hash 127.
     */
    private static final int TEXT_MAX = 90;

    private final NetworkNamespace host;
    /** Upstream's. */
    private final String comment;
    /** It holds the network's hash, so that GC finds the rule without the attachment. */
    private final String jumpComment;

    private final NftChain prerouting;
    private final NftChain ofInterface;
    private final NftChain ofMac;

    /** The rules of one attachment in the node's namespace. */
    public SpoofCheck(NetworkNamespace host, LinkIdentity identity) {
        this(host, id(identity), identity.networkHash());
    }

    private SpoofCheck(NetworkNamespace host, String id, String networkHash) {
        this.host = host;
        this.comment = COMMENT + id;
        this.jumpComment = comment + " " + networkHash;
        this.prerouting = prerouting();
        this.ofInterface = chain("cni-br-iface-" + id, Optional.empty());
        this.ofMac = chain("cni-br-iface-" + id + "-mac", Optional.empty());
    }

    private static String id(LinkIdentity identity) {
        return identity.shortName(TEXT_MAX);
    }

    /** Removes the rules of all attachments of a network but these. */
    public static void removeOthers(NetworkNamespace host, String network, Set<Attachment> valid)
            throws LinuxNetException {
        Set<String> kept = new HashSet<>();
        valid.forEach(attachment -> kept.add(id(new LinkIdentity(network, attachment))));
        String hash = new LinkIdentity(network, new Attachment("", "")).networkHash();
        for (NftListedRule rule : host.nftRules(prerouting())) {
            String[] words = rule.comment().split(" ", -1);
            if (words.length == 2 && words[0].startsWith(COMMENT) && words[1].equals(hash)) {
                String id = words[0].substring(COMMENT.length());
                if (!kept.contains(id)) {
                    new SpoofCheck(host, id, hash).remove();
                }
            }
        }
    }

    private static NftChain prerouting() {
        return chain("PREROUTING", Optional.of(NftChain.Hook.BRIDGE_PREROUTING));
    }

    private static NftChain chain(String name, Optional<NftChain.Hook> hook) {
        return new NftChain(new NftTable(NftFamily.BRIDGE, TABLE), name, hook);
    }

    /** Whether the rules are there. */
    public boolean isPresent() throws LinuxNetException {
        return !jumps(host.nftRules(prerouting)).isEmpty()
                && !host.nftRules(ofInterface).isEmpty()
                && host.nftRules(ofMac).size() == 2;
    }

    /** Replaces the rules for a port, in one transaction. */
    public void ensure(String port, MacAddress mac) throws LinuxNetException {
        List<NftChange> changes = new ArrayList<>();
        changes.add(new NftChange.AddTable(prerouting.table()));
        for (NftChain chain : List.of(prerouting, ofInterface, ofMac)) {
            changes.add(new NftChange.AddChain(chain));
        }
        for (NftListedRule jump : jumps(host.nftRules(prerouting))) {
            changes.add(new NftChange.DeleteRule(prerouting, jump.handle()));
        }
        changes.add(new NftChange.FlushChain(ofInterface));
        changes.add(new NftChange.FlushChain(ofMac));
        changes.add(rule(ofMac, comment, new NftStatement.EtherSource(mac), NftVerdict.RETURN));
        changes.add(rule(ofMac, comment, NftVerdict.DROP));
        changes.add(rule(ofInterface, comment, NftVerdict.jump(ofMac.name())));
        changes.add(rule(
                prerouting, jumpComment, new NftStatement.InputInterface(port), NftVerdict.jump(ofInterface.name())));
        host.nftApply(changes);
    }

    /** Removes the rules. Having none is no error. */
    public void remove() throws LinuxNetException {
        List<NftListedRule> listed = host.nftRules(prerouting);
        List<NftListedRule> jumps = jumps(listed);
        boolean chained = !isUsedByAnotherNetwork(listed)
                && (!host.nftRules(ofInterface).isEmpty()
                        || !host.nftRules(ofMac).isEmpty());
        if (jumps.isEmpty() && !chained) {
            return;
        }
        List<NftChange> changes = new ArrayList<>();
        for (NftListedRule jump : jumps) {
            changes.add(new NftChange.DeleteRule(prerouting, jump.handle()));
        }
        if (chained) {
            changes.add(new NftChange.FlushChain(ofInterface));
            changes.add(new NftChange.FlushChain(ofMac));
            changes.add(new NftChange.DeleteChain(ofInterface));
            changes.add(new NftChange.DeleteChain(ofMac));
        }
        try {
            host.nftApply(changes);
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENOENT) { // taken away meanwhile by another call
                throw e;
            }
        }
    }

    /** Chain names of upstream do not include the network. */
    private boolean isUsedByAnotherNetwork(List<NftListedRule> listed) {
        return listed.stream()
                .anyMatch(rule -> rule.comment().startsWith(comment + " ")
                        && !rule.comment().equals(jumpComment));
    }

    /** Includes upstream's rules, so that a DEL removes them after upstream's ADD. */
    private List<NftListedRule> jumps(List<NftListedRule> listed) {
        List<NftListedRule> jumps = new ArrayList<>();
        for (NftListedRule rule : listed) {
            if (rule.comment().equals(jumpComment) || rule.comment().equals(comment)) {
                jumps.add(rule);
            }
        }
        return jumps;
    }

    private static NftChange rule(NftChain chain, String comment, NftStatement... statements) {
        return new NftChange.AddRule(chain, new NftRule(List.of(statements), comment));
    }
}
