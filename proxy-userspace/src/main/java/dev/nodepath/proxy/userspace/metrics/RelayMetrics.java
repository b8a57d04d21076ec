package dev.nodepath.proxy.userspace.metrics;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What the relay has done since its start. Counting takes no lock. */
public final class RelayMetrics {
    public final LongAdder accepted = new LongAdder();
    public final AtomicInteger active = new AtomicInteger();
    public final LongAdder acceptFailures = new LongAdder();
    public final LongAdder overLimit = new LongAdder();
    public final LongAdder overMemory = new LongAdder();
    public final LongAdder brokenDown = new LongAdder();
    public final LongAdder withoutTranslation = new LongAdder();
    public final LongAdder withoutPortal = new LongAdder();
    public final LongAdder outsideSourceRanges = new LongAdder();
    public final LongAdder withoutEndpoints = new LongAdder();
    public final LongAdder dialsRefused = new LongAdder();
    public final LongAdder dialsTimedOut = new LongAdder();
    public final LongAdder dialsFailed = new LongAdder();
    public final LongAdder undialled = new LongAdder();
    public final LongAdder connected = new LongAdder();
    public final LongAdder reset = new LongAdder();
    public final LongAdder lingerExpired = new LongAdder();
    public final LongAdder bytesFromClients = new LongAdder();
    public final LongAdder bytesFromBackends = new LongAdder();
    public final LongAdder datagramsFromClients = new LongAdder();
    public final LongAdder datagramsFromBackends = new LongAdder();
    public final LongAdder datagramsDropped = new LongAdder();
    public final LongAdder flowsOpened = new LongAdder();
    public final AtomicInteger flowsActive = new AtomicInteger();
    public final LongAdder flowsEvicted = new LongAdder();
    public final LongAdder flowsRefused = new LongAdder();
    public final LongAdder portalsTakenOver = new LongAdder();

    /** The values at about one moment. */
    public Counts counts() {
        return new Counts(
                accepted.sum(),
                active.get(),
                acceptFailures.sum(),
                overLimit.sum(),
                overMemory.sum(),
                brokenDown.sum(),
                withoutTranslation.sum(),
                withoutPortal.sum(),
                outsideSourceRanges.sum(),
                withoutEndpoints.sum(),
                dialsRefused.sum(),
                dialsTimedOut.sum(),
                dialsFailed.sum(),
                undialled.sum(),
                connected.sum(),
                reset.sum(),
                lingerExpired.sum(),
                bytesFromClients.sum(),
                bytesFromBackends.sum(),
                datagramsFromClients.sum(),
                datagramsFromBackends.sum(),
                datagramsDropped.sum(),
                flowsOpened.sum(),
                flowsActive.get(),
                flowsEvicted.sum(),
                flowsRefused.sum(),
                portalsTakenOver.sum());
    }

    /**
     * Values of the counters.
     *
     * @param accepted connections taken from the listening socket
     * @param active connections open now, those that are still dialling included
     * @param acceptFailures times that accepting paused, as a rule for want of descriptors
     * @param overLimit clients reset because there were too many connections
     * @param overMemory connections broken off because too much waited for slow readers
     * @param brokenDown connections and batches of datagrams that ended by a fault of this process, such as want of memory
     * @param withoutTranslation clients reset because no rule had led them here
     * @param withoutPortal clients reset because their destination is no service port
     * @param outsideSourceRanges clients reset because source ranges exclude them
     * @param withoutEndpoints clients reset because their service port has no endpoints for them
     * @param dialsRefused tries that an endpoint, or the network before it, refused
     * @param dialsTimedOut tries that nobody answered in time
     * @param dialsFailed tries that failed on this side, such as for want of descriptors or ports
     * @param undialled clients reset because no try succeeded
     * @param connected connections that reached an endpoint
     * @param reset connected ones that either side broke off
     * @param lingerExpired connected ones that were ended because one side never closed
     * @param bytesFromClients payload on its way to endpoints
     * @param bytesFromBackends payload on its way to clients
     * @param datagramsFromClients datagrams that came from clients
     * @param datagramsFromBackends datagrams that came from endpoints
     * @param datagramsDropped datagrams that went nowhere: no endpoint, excluded, no room
     * @param flowsOpened UDP flows begun
     * @param flowsActive UDP flows now
     * @param flowsEvicted flows that ended to make room for another
     * @param flowsRefused flows whose endpoint refused datagrams
     * @param portalsTakenOver times that another process was found to have the portals of a family
     */
    public record Counts(
            long accepted,
            int active,
            long acceptFailures,
            long overLimit,
            long overMemory,
            long brokenDown,
            long withoutTranslation,
            long withoutPortal,
            long outsideSourceRanges,
            long withoutEndpoints,
            long dialsRefused,
            long dialsTimedOut,
            long dialsFailed,
            long undialled,
            long connected,
            long reset,
            long lingerExpired,
            long bytesFromClients,
            long bytesFromBackends,
            long datagramsFromClients,
            long datagramsFromBackends,
            long datagramsDropped,
            long flowsOpened,
            int flowsActive,
            long flowsEvicted,
            long flowsRefused,
            long portalsTakenOver) {}
}
