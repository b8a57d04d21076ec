/**
 * Follows the first packet of a connection through a cluster, in words. Input: the cluster's objects, the proxies'
 * mode, a sender and a destination by their names. Output: hops, and the way back. It knows no sockets and no kernel.
 */
package dev.nodepath.emulator.walk;
