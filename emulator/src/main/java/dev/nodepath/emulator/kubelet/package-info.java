/**
 * Runs the Pods of one node as a kubelet does: network by the CNI plugin, containers as processes or built-in servers,
 * probes, restarts, graceful ends. Pods of the API come in; processes, their status and Events go out.
 */
package dev.nodepath.emulator.kubelet;
