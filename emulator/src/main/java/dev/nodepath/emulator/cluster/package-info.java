/** An emulated cluster: nodes, pods and a client as network namespaces, and what runs in them. */
package dev.nodepath.emulator.cluster;
