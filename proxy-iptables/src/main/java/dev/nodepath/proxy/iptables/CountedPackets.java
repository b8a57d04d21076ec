package dev.nodepath.proxy.iptables;

import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.syscall.LinuxNetException;

/**
 * Packets that the rules count in nfacct counters. The names are those of kube-proxy; both families share the counters.
 */
public enum CountedPackets {
    /** Forwarded packets that were dropped because conntrack finds them invalid. */
    INVALID_DROPPED("ct_state_invalid_dropped_pkts"),
    /** First packets of connections to node ports on 127.0.0.0/8. */
    LOCALHOST_NODE_PORTS("localhost_nps_accepted_pkts");

    private final String counter;

    CountedPackets(String counter) {
        this.counter = counter;
    }

    /** The name of the counter in the kernel. */
    String counter() {
        return counter;
    }

    Match match() {
        return new Match.Counted(counter);
    }

    /** Whether a rule of any process names the counter. False if that is unknown. */
    boolean isNamed(PacketCounters counters) {
        try {
            return counters.isNamed(counter);
        } catch (LinuxNetException e) {
            return false;
        }
    }

    /** Makes all counters. The kernel refuses a rule that names a missing counter. */
    static void createAll(PacketCounters counters) throws LinuxNetException {
        for (CountedPackets counted : values()) {
            counters.create(counted.counter);
        }
    }

    /**
     * Removes all counters, once no rule names them.
     *
     * @throws LinuxNetException EBUSY while a rule names one, also a rule of kube-proxy
     */
    public static void deleteAll(PacketCounters counters) throws LinuxNetException {
        for (CountedPackets counted : values()) {
            counters.delete(counted.counter);
        }
    }
}
