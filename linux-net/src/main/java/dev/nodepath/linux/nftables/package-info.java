/**
 * Tables of nf_tables: chains, rules, statements, sets and elements as values, their text as {@code nft} lists and
 * loads it, and a desired table as a frame and groups. Changes go out to the kernel as transactions over netlink.
 * Dumped tables come in, and the kernel's events of traced packets ({@code meta nftrace}). The messages and
 * expressions are those that {@code nft} 1.0.6 writes. It does not know the purpose of a rule.
 */
package dev.nodepath.linux.nftables;
