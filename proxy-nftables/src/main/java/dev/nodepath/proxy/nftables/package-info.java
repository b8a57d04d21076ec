/**
 * The proxy of nftables mode. Snapshots come in and become the chains, sets and elements of kube-proxy's mode; each
 * family's table is kept in the kernel as it should be, by transactions over netlink. The tracer follows one packet
 * through a table and tells each step. It reads tables as values, and not the names that this package gives them, so
 * it needs no privileges. The package does not know the other modes.
 */
package dev.nodepath.proxy.nftables;
