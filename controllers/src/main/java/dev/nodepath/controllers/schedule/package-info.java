/**
 * Binds Pods to Nodes, and PersistentVolumeClaims of the class {@code standard} to PersistentVolumes of their own. In go
 * Pods, Nodes and claims, out come bindings, or why no Node takes a Pod. It does not count CPU and memory, and knows no
 * folders: kubelets make them.
 */
package dev.nodepath.controllers.schedule;
