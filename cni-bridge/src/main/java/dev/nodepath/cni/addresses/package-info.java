/**
 * Where a container's addresses come from and go back to: our own host-local, or another plugin that is run. It
 * knows no bridge.
 */
package dev.nodepath.cni.addresses;
