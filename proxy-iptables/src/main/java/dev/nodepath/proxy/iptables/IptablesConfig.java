package dev.nodepath.proxy.iptables;

import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpFamily;
import java.util.List;
import java.util.Optional;

/**
 * What shapes the rules besides the cluster's objects; the names are those of kube-proxy's options.
 *
 * @param clusterCidrs where pods are, at most one network of each family; traffic to a cluster IP from elsewhere is
 *     masqueraded. A family without one masquerades none.
 * @param masqueradeAll whether all traffic to cluster IPs is masqueraded
 * @param masqueradeBit the bit of the packet mark that stands for "to be masqueraded", 0 to 31
 * @param localhostNodePorts whether node ports are served on 127.0.0.0/8 too
 * @param randomFully whether masquerading picks source ports at random ({@code --random-fully}, iptables 1.6.2)
 * @param dropInvalid whether forwarded packets that conntrack finds invalid are dropped; kube-proxy does unless {@code
 *     nf_conntrack_tcp_be_liberal} is set
 */
public record IptablesConfig(
        List<Cidr> clusterCidrs,
        boolean masqueradeAll,
        int masqueradeBit,
        boolean localhostNodePorts,
        boolean randomFully,
        boolean dropInvalid) {

    /** What kube-proxy does without options. */
    public static final IptablesConfig DEFAULTS = new IptablesConfig(List.of(), false, 14, true, true, true);

    /** Checks the limits. */
    public IptablesConfig {
        clusterCidrs = List.copyOf(clusterCidrs);
        for (IpFamily family : IpFamily.values()) {
            if (clusterCidrs.stream().filter(cidr -> cidr.family() == family).count() > 1) {
                throw new IllegalArgumentException(
                        "clusterCidrs: " + clusterCidrs + " (expected: at most one of " + family + ")");
            }
        }
        if (masqueradeBit < 0 || masqueradeBit > 31) {
            throw new IllegalArgumentException("masqueradeBit: " + masqueradeBit + " (expected: 0 to 31)");
        }
    }

    /** The same with these pod networks. */
    public IptablesConfig withClusterCidrs(List<Cidr> cidrs) {
        return new IptablesConfig(cidrs, masqueradeAll, masqueradeBit, localhostNodePorts, randomFully, dropInvalid);
    }

    /** The same with {@link #masqueradeAll} set as given. */
    public IptablesConfig withMasqueradeAll(boolean all) {
        return new IptablesConfig(clusterCidrs, all, masqueradeBit, localhostNodePorts, randomFully, dropInvalid);
    }

    /** The same with {@link #localhostNodePorts} set as given. */
    public IptablesConfig withLocalhostNodePorts(boolean served) {
        return new IptablesConfig(clusterCidrs, masqueradeAll, masqueradeBit, served, randomFully, dropInvalid);
    }

    /** The pod network of one family. */
    Optional<Cidr> clusterCidr(IpFamily family) {
        return clusterCidrs.stream().filter(cidr -> cidr.family() == family).findFirst();
    }

    /** The mark of packets that are to be masqueraded. */
    int masqueradeMark() {
        return 1 << masqueradeBit;
    }
}
