package dev.nodepath.linux.io;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import org.jspecify.annotations.Nullable;

/**
 * The two ends of a datagram, both of one family. A {@link DatagramBatch} reuses one object for all that it receives,
 * so a lookup allocates nothing. Make a {@link #copy} to keep one.
 */
public final class DatagramPath {
    private IpFamily family = IpFamily.IPV4;
    private long peerHigh;
    private long peerLow;
    private int peerPort;
    private int peerLink;
    private long localHigh;
    private long localLow;

    /** The path of a batch. {@link #set} fills it. */
    DatagramPath() {}

    /**
     * A path.
     *
     * @param peer the address at the other end
     * @param peerPort 0 to 65535
     * @param peerLink the index of the link that a link-local peer is on; else 0
     * @param local the address at this end
     */
    public DatagramPath(IpAddress peer, int peerPort, int peerLink, IpAddress local) {
        set(peer.family(), peer.high(), peer.low(), peerPort, peerLink, local.high(), local.low());
    }

    void set(IpFamily family, long peerHigh, long peerLow, int peerPort, int peerLink, long localHigh, long localLow) {
        this.family = family;
        this.peerHigh = peerHigh;
        this.peerLow = peerLow;
        this.peerPort = peerPort;
        this.peerLink = peerLink;
        this.localHigh = localHigh;
        this.localLow = localLow;
    }

    /** An immutable copy. */
    public DatagramPath copy() {
        DatagramPath copy = new DatagramPath();
        copy.set(family, peerHigh, peerLow, peerPort, peerLink, localHigh, localLow);
        return copy;
    }

    IpFamily family() {
        return family;
    }

    /** The address at the other end. */
    public IpAddress peer() {
        return new IpAddress(family, peerHigh, peerLow);
    }

    long peerHigh() {
        return peerHigh;
    }

    long peerLow() {
        return peerLow;
    }

    int peerPort() {
        return peerPort;
    }

    int peerLink() {
        return peerLink;
    }

    /** The address at this end. */
    public IpAddress local() {
        return new IpAddress(family, localHigh, localLow);
    }

    long localHigh() {
        return localHigh;
    }

    long localLow() {
        return localLow;
    }

    @Override
    public boolean equals(@Nullable Object object) {
        return object instanceof DatagramPath other
                && family == other.family
                && peerHigh == other.peerHigh
                && peerLow == other.peerLow
                && peerPort == other.peerPort
                && peerLink == other.peerLink
                && localHigh == other.localHigh
                && localLow == other.localLow;
    }

    @Override
    public int hashCode() {
        long hash = (peerHigh * 31 + peerLow) * 31 + peerPort;
        return Long.hashCode((hash * 31 + localHigh) * 31 + localLow);
    }

    @Override
    public String toString() {
        return peer() + " port " + peerPort + " link " + peerLink + " to " + local();
    }
}
