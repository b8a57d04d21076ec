/**
 * Addresses of one node: host-local's configuration, the order in which addresses are given, and its files. It knows
 * no links and no CNI protocol.
 */
package dev.nodepath.cni.ipam;
