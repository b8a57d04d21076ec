/**
 * A running emulated cluster: nodes, pods and a client in namespaces, the agents, and what a control plane would do.
 * Topology comes in, processes and links come up.
 */
package dev.nodepath.emulator.cluster;
