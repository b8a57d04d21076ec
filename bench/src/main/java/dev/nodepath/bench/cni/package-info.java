/** The CNI plugin beside Debian's. */
package dev.nodepath.bench.cni;
