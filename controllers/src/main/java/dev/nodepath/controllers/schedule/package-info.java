/**
 * Binds Pods to Nodes, and PersistentVolumeClaims of the class {@code standard} to PersistentVolumes of their own.
 * Pods, Nodes and claims come in; bindings go out, or the reasons why no Node takes a Pod. It does not count CPU and
 * memory, and makes no folders: kubelets do.
 */
package dev.nodepath.controllers.schedule;
