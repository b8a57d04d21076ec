/**
 * The proxy of iptables mode. Snapshots come in; each family's rules are applied, whole or for the Services that
 * changed. What the rules are is decided in the package {@code rules}.
 */
package dev.nodepath.proxy.iptables;
