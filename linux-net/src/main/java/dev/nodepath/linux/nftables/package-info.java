/**
 * Tables of nf_tables as values: chains, rules, statements, sets and elements, the changes of them, and their text as
 * {@code nft} lists and loads it. It does not know how the kernel is told, nor who uses a table.
 */
package dev.nodepath.linux.nftables;
