/**
 * Tables of nf_tables as values: chains, rules, sets, maps and their elements. They are read from the kernel, written to
 * it and printed as nft lists them. Changes go out in one batch, which the kernel takes or refuses as a whole. It knows no
 * iptables syntax.
 */
package dev.nodepath.linux.nftables;
