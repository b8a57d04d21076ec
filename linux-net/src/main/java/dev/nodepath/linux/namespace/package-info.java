/**
 * Network namespaces: handles to open ones, and named ones as of {@code ip netns}. Each handle has sockets that were
 * opened inside, so the caller's thread stays in its namespace. Through them the kernel announces changes of links,
 * addresses and routes ({@link dev.nodepath.linux.namespace.NetworkChange}), and tells the names and sizes of
 * iptables' legacy tables.
 */
package dev.nodepath.linux.namespace;
