/**
 * The data path: Netty event loops that accept, dial and forward TCP and UDP. Its input is a table of portals and
 * services. It knows no snapshots and writes no rules.
 */
package dev.nodepath.proxy.userspace.relay;
