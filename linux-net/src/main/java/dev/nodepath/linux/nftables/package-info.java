/**
 * Tables of nf_tables as values: chains, rules, statements, sets and elements, and the changes of them. It does not
 * know how the kernel is told, nor who uses a table.
 */
package dev.nodepath.linux.nftables;
