/**
 * Tables of nf_tables in the kernel. Changes go out as transactions over netlink; tables come in as they are dumped,
 * with what other programs have changed. So does what the kernel tells of traced packets ({@code meta nftrace}): each
 * rule that took one on, of every table. The messages and expressions are those that {@code nft} 1.0.6 writes. It does
 * not know what a rule is for.
 */
package dev.nodepath.linux.nftables.kernel;
