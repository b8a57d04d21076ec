/**
 * Tables of nf_tables in the kernel. Changes go out as transactions over netlink; tables come in as they are dumped,
 * with what other programs have changed. The messages and expressions are those that {@code nft} 1.0.6 writes.
 */
package dev.nodepath.linux.nftables.kernel;
