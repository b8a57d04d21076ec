/** The CNI plugin: protocol, address management, bridge and veth work. */
package dev.nodepath.cni;
