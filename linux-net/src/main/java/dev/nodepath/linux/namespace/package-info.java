/**
 * Network namespaces: handles to open ones, and those with names as {@code ip netns} keeps them. Each handle has
 * sockets that were opened inside, so callers stay where they are. Through them the kernel announces changes of links,
 * addresses and routes ({@link dev.nodepath.linux.namespace.NetworkChange}), and tells the names and sizes of iptables'
 * legacy tables.
 */
package dev.nodepath.linux.namespace;
