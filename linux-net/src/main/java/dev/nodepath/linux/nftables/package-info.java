/**
 * Tables of nf_tables: chains, rules, statements, sets and elements as values, their text as {@code nft} lists and
 * loads it, and a desired table as a frame and groups. Changes go out to the kernel as transactions over netlink.
 * Tables come in as they are dumped, and so does what the kernel tells of traced packets ({@code meta nftrace}). The
 * messages and expressions are those that {@code nft} 1.0.6 writes. It does not know what a rule is for.
 */
package dev.nodepath.linux.nftables;
