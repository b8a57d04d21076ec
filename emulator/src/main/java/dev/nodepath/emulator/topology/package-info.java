/** What an emulated cluster is to look like: ordinary Kubernetes manifests of Nodes, Pods and Services. */
package dev.nodepath.emulator.topology;
