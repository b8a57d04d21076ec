/**
 * The proxy of nftables mode. Snapshots come in and become the chains, sets and elements of kube-proxy's mode; each
 * family's table is kept in the kernel as it should be, by transactions over netlink. The tracer follows one packet
 * through a table and tells each step. It reads tables as values, so it needs no privileges. It does not depend on the
 * names of this package. The package does not know the other modes.
 */
package dev.nodepath.proxy.nftables;
