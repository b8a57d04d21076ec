/**
 * Chains and rules of nf_tables: values, and the netlink messages of a transaction. Changes go out in one batch,
 * which the kernel takes or refuses as a whole. It knows no iptables syntax.
 */
package dev.nodepath.linux.nftables;
