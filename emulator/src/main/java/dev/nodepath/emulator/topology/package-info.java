/** What a cluster is to look like, read from ordinary manifests of Nodes, Pods and Services. It starts nothing. */
package dev.nodepath.emulator.topology;
