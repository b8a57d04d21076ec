/**
 * What the kernel tells of traced packets ({@code meta nftrace}): each rule that took one on, of every table that uses
 * nf_tables. Netlink messages come in, values go out. It sets no rule, and knows no rule's text.
 */
package dev.nodepath.linux.nftables.trace;
