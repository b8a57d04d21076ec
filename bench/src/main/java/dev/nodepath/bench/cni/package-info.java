/** Compares the CNI plugin with Debian's. */
package dev.nodepath.bench.cni;
