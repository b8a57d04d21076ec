/**
 * The data path: Netty event loops that accept, dial and pass on TCP and UDP. Portals and services come in as
 * tables; traffic goes through. It knows no snapshots and writes no rules.
 */
package dev.nodepath.proxy.userspace.relay;
