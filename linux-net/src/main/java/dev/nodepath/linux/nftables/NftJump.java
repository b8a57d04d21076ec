package dev.nodepath.linux.nftables;

/**
 * A rule of nf_tables that leads to another chain, as the kernel lists it.
 *
 * @param handle its number in its table, by which it is deleted
 * @param target the chain that it leads to
 * @param comment its own, or that of iptables' match of this name; empty if it has none
 */
public record NftJump(long handle, String target, String comment) {}
