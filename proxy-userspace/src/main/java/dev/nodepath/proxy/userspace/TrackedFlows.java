package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.userspace.portals.Destination;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection tracking entries of clients. While a UDP client goes on sending, its datagrams go to the destination
 * of the first one, even if rules have changed. So entries that contradict the rules are deleted.
 */
final class TrackedFlows implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TrackedFlows.class);

    /** The state of a connection after a reset. */
    private static final String RESET = "CLOSE";

    private final Conntrack conntrack;

    TrackedFlows(Conntrack conntrack) {
        this.conntrack = conntrack;
    }

    /** Opens the connection tracking of the namespace that the calling thread is in. */
    @FunctionalInterface
    interface Opener {
        Conntrack open() throws LinuxNetException;
    }

    /**
     * Deletes the entries that contradict the rules. The next datagram of such a client passes the rules again. Errors
     * are only logged: an entry expires when its client has been silent for a while.
     *
     * @param redirected the port that rules redirect to, for each destination
     * @param gone ports that no rule redirects to any more
     */
    void correct(IpFamily family, Map<Destination, Integer> redirected, Set<Integer> gone) {
        if (!redirected.isEmpty() || !gone.isEmpty()) {
            remove(family, Protocol.UDP, flow -> isStale(flow, redirected, gone));
        }
    }

    /**
     * Deletes the entries of connections that were reset. Such an entry would lead a client's next connection from the
     * same port to the old endpoint, for ten seconds.
     *
     * @param port the redirected port of these connections, now without a listener
     */
    void forgetReset(IpFamily family, int port) {
        remove(
                family,
                Protocol.TCP,
                flow -> flow.isInDefaultZone()
                        && flow.isDestinationTranslated()
                        && flow.reply().sourcePort() == port
                        && flow.progress().state().equals(RESET));
    }

    private void remove(IpFamily family, Protocol protocol, Predicate<ConntrackFlow> stale) {
        try {
            int removed = conntrack.deleteAll(family, protocol.number(), stale);
            if (removed > 0) {
                LOG.atInfo()
                        .addKeyValue("family", family)
                        .addKeyValue("protocol", protocol)
                        .addKeyValue("removed", removed)
                        .log("conntrack.cleaned");
            }
        } catch (LinuxNetException | RuntimeException e) {
            LOG.atWarn()
                    .addKeyValue("family", family)
                    .addKeyValue("protocol", protocol)
                    .addKeyValue("error", e instanceof LinuxNetException ? e.getMessage() : e)
                    .log("conntrack.clean_failed");
        }
    }

    private static boolean isStale(ConntrackFlow flow, Map<Destination, Integer> redirected, Set<Integer> gone) {
        if (!flow.isInDefaultZone()) {
            return false;
        }
        int port = flow.reply().sourcePort();
        if (flow.isDestinationTranslated() && gone.contains(port)) {
            return true;
        }
        ConntrackFlow.Tuple meant = flow.original();
        Integer now = redirected.get(new Destination(meant.destination(), meant.destinationPort()));
        return now != null && now != port;
    }

    @Override
    public void close() {
        conntrack.close();
    }
}
