/**
 * Which chains, sets and elements a snapshot becomes: the rules of kube-proxy's nftables mode, as values. It knows no
 * kernel and no earlier state.
 */
package dev.nodepath.proxy.nftables.rules;
