package dev.nodepath.cni;

import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.InterfaceAddress;
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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

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
        return present().contains(subnet.network().toString());
    }

    /**
     * Makes sure of these subnets. One that is there and not among them goes if the node has no gateway address in it any
     * more: it is from an older configuration, and may be another node's now.
     *
     * @param carrier index of the link with the gateway addresses
     */
    void ensure(List<Cidr> subnets, int carrier) throws LinuxNetException {
        Map<String, Cidr> wanted = new TreeMap<>();
        for (Cidr subnet : subnets) {
            wanted.put(subnet.network().toString(), subnet.network());
        }
        Set<String> present = present();
        if (present.equals(wanted.keySet())) {
            return;
        }
        keepUsed(present, wanted, carrier);
        if (present.equals(wanted.keySet())) {
            return;
        }
        List<NftChange> changes = new ArrayList<>();
        changes.add(new NftChange.AddChain(chain));
        changes.add(new NftChange.FlushChain(chain));
        for (Cidr subnet : wanted.values()) {
            changes.add(new NftChange.AddRule(chain, rule(subnet)));
        }
        host.nftApply(changes);
    }

    private Set<String> present() throws LinuxNetException {
        Set<String> present = new HashSet<>();
        for (NftListedRule rule : host.nftRules(chain)) {
            present.add(rule.comment());
        }
        return present;
    }

    private void keepUsed(Set<String> present, Map<String, Cidr> wanted, int carrier) throws LinuxNetException {
        for (InterfaceAddress has : host.addresses(carrier)) {
            String subnet = has.address().network().toString();
            if (present.contains(subnet)) {
                wanted.put(subnet, has.address().network());
            }
        }
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
