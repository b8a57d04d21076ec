/**
 * A running emulated cluster: nodes, pods and a client in namespaces, the agents, and a control plane. Input: a
 * topology, read from ordinary manifests of Nodes, Pods and Services. Output: processes and links.
 */
package dev.nodepath.emulator.cluster;
