/**
 * The rules of iptables mode: which chains a snapshot becomes, equal to kube-proxy's. Snapshots come in, rule groups
 * go out. It runs nothing.
 */
package dev.nodepath.proxy.iptables.rules;
