package dev.nodepath.linux.watch;

/**
 * That something in a namespace has changed, as the kernel announces it.
 *
 * @param removed whether it has gone, rather than come or changed
 * @param linkIndex of the link that it is on or is; 0 if it names none
 * @param protocol who made it, of a route; 0 of anything else
 */
public record NetworkChange(Kind kind, boolean removed, int linkIndex, int protocol) {

    /** What has changed. */
    public enum Kind {
        LINK,
        /** Not one of link scope, which every link of IPv6 has. */
        ADDRESS,
        /** A unicast route of the main table. */
        ROUTE,
        NEIGHBOUR,
        /** There were more changes than the kernel keeps for a reader: anything may have changed. */
        LOST
    }
}
