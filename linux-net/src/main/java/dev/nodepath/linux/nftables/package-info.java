/**
 * The nf_tables of the kernel: tables, chains, rules, sets and maps as values, and the netlink messages that write and
 * read them. Changes go out in one transaction, which the kernel takes or refuses as a whole. It knows no iptables
 * syntax.
 */
package dev.nodepath.linux.nftables;
