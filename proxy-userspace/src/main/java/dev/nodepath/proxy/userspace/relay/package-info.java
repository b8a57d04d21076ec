/**
 * The data path: Netty event loops that accept, dial and forward TCP and UDP. It chooses the endpoint of a client: round
 * robin, session affinity, ejection. Its input is a table of portals and services, and limits, times and ports
 * ({@code RelayConfig}). It knows no snapshots and writes no rules.
 */
package dev.nodepath.proxy.userspace.relay;
