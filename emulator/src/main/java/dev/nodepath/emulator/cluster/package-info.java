/**
 * A running emulated cluster: nodes, pods and a client in namespaces, the agents, and a control plane. Input: a
 * topology. Output: processes and links.
 */
package dev.nodepath.emulator.cluster;
