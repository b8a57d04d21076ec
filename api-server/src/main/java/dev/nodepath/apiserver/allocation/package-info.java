/**
 * What the cluster gives to Services: ClusterIPs from the ServiceCIDRs, NodePorts, IP families. Services come in and
 * are changed in place. What is in use follows the stored Services. It knows no other kind.
 */
package dev.nodepath.apiserver.allocation;
