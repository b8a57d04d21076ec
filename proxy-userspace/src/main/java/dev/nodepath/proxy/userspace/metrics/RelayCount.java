package dev.nodepath.proxy.userspace.metrics;

/** The counters of the relay. They start at 0 with the process and never fall. */
public enum RelayCount {
    /** TCP connections that the relay has accepted. */
    ACCEPTED,
    /** Pauses in accepting. The usual cause is a lack of file descriptors. */
    ACCEPT_FAILURES,
    /** Clients that were reset because too many connections were open. */
    OVER_LIMIT,
    /** Connections that were reset because too many bytes waited for slow readers. */
    OVER_MEMORY,
    /** Connections and batches of datagrams that a fault of this process ended, such as a lack of memory. */
    BROKEN_DOWN,
    /** Clients that were reset because no rule had redirected them. */
    WITHOUT_TRANSLATION,
    /** Clients that were reset because no service port has their destination. */
    WITHOUT_PORTAL,
    /** Clients that were reset because the source ranges of their Service exclude them. */
    OUTSIDE_SOURCE_RANGES,
    /** Clients that were reset because their service port has no endpoint for them. */
    WITHOUT_ENDPOINTS,
    /** Clients that were reset because policies allow them none of the endpoints. */
    REFUSED_BY_POLICY,
    /** Dials that an endpoint, or the network on the way to it, has refused. */
    DIALS_REFUSED,
    /** Dials without an answer in time. */
    DIALS_TIMED_OUT,
    /** Dials that this node could not make, for lack of descriptors or ports, for example. */
    DIALS_FAILED,
    /** Clients that were reset because every dial failed. */
    UNDIALLED,
    /** TCP connections that have reached an endpoint. */
    CONNECTED,
    /** Connections with an endpoint that either side has reset. */
    RESET,
    /** Half-closed connections that ended because nothing moved for the linger time. */
    LINGER_EXPIRED,
    /** Payload bytes that the relay has read from clients. */
    BYTES_FROM_CLIENTS,
    /** Payload bytes that the relay has read from endpoints. */
    BYTES_FROM_BACKENDS,
    /** Payload bytes of clients and endpoints that passed through a pipe, without a copy. */
    BYTES_SPLICED,
    /** Payload bytes of clients and endpoints that were sent at the end of a round, by one system call for all. */
    BYTES_BATCHED,
    /** Datagrams that came from clients. */
    DATAGRAMS_FROM_CLIENTS,
    /** Datagrams that came from endpoints. */
    DATAGRAMS_FROM_BACKENDS,
    /** Datagrams that were dropped: no endpoint or none that a policy allows, excluded by source ranges, or no room. */
    DATAGRAMS_DROPPED,
    /** UDP flows that were opened. */
    FLOWS_OPENED,
    /** UDP flows that ended to make room for another one. */
    FLOWS_EVICTED,
    /** UDP flows whose endpoint has refused datagrams. */
    FLOWS_REFUSED,
    /** Times that another process has taken over the portals of a family. */
    PORTALS_TAKEN_OVER
}
