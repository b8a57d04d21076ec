package dev.nodepath.linux.nftables;

/**
 * A rule as the kernel lists it.
 *
 * @param handle its number in its table, needed to delete it
 * @param comment empty if it has none
 */
public record NftListedRule(long handle, String comment) {}
