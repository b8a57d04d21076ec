/**
 * Links of the node and of the container: bridge, gateways, veth pairs and VLANs. It works through handles of
 * namespaces and gives out no addresses.
 */
package dev.nodepath.cni.bridge;
