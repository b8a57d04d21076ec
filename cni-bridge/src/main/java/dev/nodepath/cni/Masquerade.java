package dev.nodepath.cni;

import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.Errno;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import dev.nodepath.linux.NftChain;
import dev.nodepath.linux.NftChange;
import dev.nodepath.linux.NftListedRule;
import dev.nodepath.linux.NftRule;
import dev.nodepath.linux.NftStatement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Gives what leaves a network the node's address: one chain for each network with one rule for each of its subnets, which all
 * its containers share. A container's ADD looks whether its subnets are there, and its DEL has nothing to do.
 */
final class Masquerade {
    private static final String TABLE = "nodepath_cni";
    private static final Cidr MULTICAST_IPV4 = Cidr.parse("224.0.0.0/4");
    private static final Cidr MULTICAST_IPV6 = Cidr.parse("ff00::/8");

    /** A chain's name has at most 255 characters, as a network's has. */
    private static final int NETWORK_NAME_MAX = 240;

    /** Each try that fails is one in which another call got on, and no more of them run at once. */
    private static final int TRIES_MAX = 100;

    private final NetworkNamespace host;
    private final NftChain chain;

    Masquerade(NetworkNamespace host, String network) {
        this.host = host;
        String name = network.length() <= NETWORK_NAME_MAX ? network : network.substring(0, NETWORK_NAME_MAX);
        this.chain = new NftChain(
                NftChain.Family.INET, TABLE, "network-" + name, Optional.of(NftChain.Hook.POSTROUTING_NAT));
    }

    /** Whether a subnet is masqueraded. */
    boolean covers(Cidr subnet) throws LinuxNetException {
        String wanted = subnet.network().toString();
        return host.nftRules(chain).stream().anyMatch(rule -> rule.comment().equals(wanted));
    }

    /**
     * Makes sure of these subnets, one rule for each. Others stay: a container may have an address in them.
     *
     * <p>Calls at the same time may each add a rule for the same subnet; whoever looks last takes the second away.
     */
    void ensure(List<Cidr> subnets) throws LinuxNetException {
        for (int tries = 1; ; tries++) {
            List<NftChange> changes = changesFor(subnets);
            if (changes.isEmpty()) {
                return;
            }
            try {
                host.nftApply(changes);
            } catch (LinuxNetException e) {
                // Another call was the first to take a rule away.
                if (e.errno() != Errno.ENOENT || tries == TRIES_MAX) {
                    throw e;
                }
            }
        }
    }

    /** Takes the rules of a network away that has no container any more. */
    void removeAll() throws LinuxNetException {
        removeWhereKnown(List.of(new NftChange.FlushChain(chain), new NftChange.DeleteChain(chain)));
    }

    /** Leaves a subnet, which may be another node's now, with the address that its packets bear. */
    void remove(Cidr subnet) throws LinuxNetException {
        List<NftChange> changes = new ArrayList<>();
        for (NftListedRule rule : host.nftRules(chain)) {
            if (rule.comment().equals(subnet.network().toString())) {
                changes.add(new NftChange.DeleteRule(chain, rule.handle()));
            }
        }
        removeWhereKnown(changes);
    }

    private void removeWhereKnown(List<NftChange> changes) throws LinuxNetException {
        try {
            host.nftApply(changes);
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENOENT) { // there was none, or another call has taken it away
                throw e;
            }
        }
    }

    private List<NftChange> changesFor(List<Cidr> subnets) throws LinuxNetException {
        Set<String> present = new HashSet<>();
        List<NftChange> changes = new ArrayList<>();
        for (NftListedRule rule : host.nftRules(chain)) {
            if (!present.add(rule.comment())) {
                changes.add(new NftChange.DeleteRule(chain, rule.handle()));
            }
        }
        for (Cidr subnet : subnets) {
            if (present.add(subnet.network().toString())) {
                changes.add(new NftChange.AddChain(chain));
                changes.add(new NftChange.AddRule(chain, rule(subnet.network())));
            }
        }
        return changes;
    }

    private static NftRule rule(Cidr subnet) {
        Cidr multicast = subnet.family() == IpFamily.IPV4 ? MULTICAST_IPV4 : MULTICAST_IPV6;
        return new NftRule(
                List.of(
                        new NftStatement.SourceIn(subnet),
                        new NftStatement.DestinationNotIn(subnet),
                        new NftStatement.DestinationNotIn(multicast),
                        new NftStatement.Masquerade()),
                subnet.toString());
    }
}
