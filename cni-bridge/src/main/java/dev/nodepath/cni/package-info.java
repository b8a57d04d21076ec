/**
 * The CNI plugin: the steps of each command in order, on the node: bridge, gateways, veth pairs, VLANs, and the rules
 * in nf_tables that masquerade an attachment and check its source addresses. A call comes in as environment and JSON,
 * and a result goes out. It works through handles of namespaces. A container's addresses come from our own host-local,
 * or from another plugin's process. The packages below read the configuration and keep the addresses of a node.
 */
package dev.nodepath.cni;
