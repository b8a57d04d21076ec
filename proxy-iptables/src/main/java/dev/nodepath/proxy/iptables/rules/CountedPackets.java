package dev.nodepath.proxy.iptables.rules;

import dev.nodepath.linux.iptables.rule.Match;
import dev.nodepath.linux.nfacct.PacketCounters;
import dev.nodepath.linux.syscall.LinuxNetException;

/** What the rules count in counters of their own, by kube-proxy's names; both families count in the same ones. */
public enum CountedPackets {
    /** Forwarded packets that were dropped because conntrack finds them invalid. */
    INVALID_DROPPED("ct_state_invalid_dropped_pkts"),
    /** First packets of connections to node ports on 127.0.0.0/8. */
    LOCALHOST_NODE_PORTS("localhost_nps_accepted_pkts");

    private final String counter;

    CountedPackets(String counter) {
        this.counter = counter;
    }

    /** The name that the kernel knows it by. */
    public String counter() {
        return counter;
    }

    /** For the rule that counts. */
    public Match match() {
        return new Match.Counted(counter);
    }

    /** Whether rules count it, those of another process too; false if that cannot be told. */
    public boolean isNamed(PacketCounters counters) {
        try {
            return counters.isNamed(counter);
        } catch (LinuxNetException e) {
            return false;
        }
    }

    /** Makes all counters, as a rule that names one which is not there is refused. */
    public static void createAll(PacketCounters counters) throws LinuxNetException {
        for (CountedPackets counted : values()) {
            counters.create(counted.counter);
        }
    }

    /**
     * Removes all counters, once no rule names them.
     *
     * @throws LinuxNetException EBUSY while one does, also kube-proxy's
     */
    public static void deleteAll(PacketCounters counters) throws LinuxNetException {
        for (CountedPackets counted : values()) {
            counters.delete(counted.counter);
        }
    }
}
