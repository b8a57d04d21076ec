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
 * What connection tracking remembers of clients. As long as a UDP client goes on sending, its datagrams are led where its
 * first one was, whatever the rules say by now; so those that are led elsewhere than the rules say are forgotten.
 */
final class TrackedFlows implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TrackedFlows.class);

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
     * Forgets the clients that are led elsewhere than rules lead now: their next datagrams ask the rules again. It fails
     * nobody: what went wrong is logged, and such a client finds its way when it has been silent for a while.
     *
     * @param led where rules lead: the port for each destination
     * @param gone ports that no rule leads to any more
     */
    void correct(IpFamily family, Map<Destination, Integer> led, Set<Integer> gone) {
        if (!led.isEmpty() || !gone.isEmpty()) {
            remove(family, Protocol.UDP, flow -> isStale(flow, led, gone));
        }
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

    private static boolean isStale(ConntrackFlow flow, Map<Destination, Integer> led, Set<Integer> gone) {
        if (!flow.isInDefaultZone()) {
            return false;
        }
        int port = flow.reply().sourcePort();
        if (flow.isDestinationTranslated() && gone.contains(port)) {
            return true;
        }
        ConntrackFlow.Tuple meant = flow.original();
        Integer now = led.get(new Destination(meant.destination(), meant.destinationPort()));
        return now != null && now != port;
    }

    @Override
    public void close() {
        conntrack.close();
    }
}
