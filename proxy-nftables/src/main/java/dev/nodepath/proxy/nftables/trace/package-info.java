/**
 * Follows one packet through a table of nf_tables and tells each step. It reads tables as values and no kernel, so it
 * needs no privileges. It knows statements, sets and hooks, but not the names that {@code rules} gives them.
 */
package dev.nodepath.proxy.nftables.trace;
