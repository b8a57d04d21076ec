/**
 * The proxy of iptables mode. Snapshots come in and become chains equal to kube-proxy's; each family's rules are
 * applied, whole or for the Services that changed. The tracer follows one packet through a rule set and tells each
 * step. Chains and traces are plain values: they need neither a kernel nor privileges. It does not know how rules are
 * sent.
 */
package dev.nodepath.proxy.iptables;
