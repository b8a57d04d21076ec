package dev.nodepath.linux.namespace;

/**
 * A change in a namespace, as the kernel reports it.
 *
 * @param removed whether the entry was removed, not added or changed
 * @param linkIndex the index of the changed link or of the entry's link; 0 if none
 * @param protocol the protocol of a route; 0 for other entries
 */
public record NetworkChange(Kind kind, boolean removed, int linkIndex, int protocol) {

    /** The kind of the changed entry. */
    public enum Kind {
        LINK,
        /** An address, except a link-local one, as every IPv6 link has one. */
        ADDRESS,
        /** A unicast route of the main table. */
        ROUTE,
        NEIGHBOUR,
        /** Notifications were lost: anything may have changed. */
        LOST
    }
}
