/** Address management of one node: host-local's configuration, allocation order and files. */
package dev.nodepath.cni.ipam;
