/**
 * Follows whether Nodes are alive, and removes unneeded objects. Leases and Nodes come in; the condition Ready,
 * taints, readiness of Pods and evictions go out. It deletes dependents of lost owners, the contents of deleted
 * Namespaces, Pods of lost Nodes and old Events. New Namespaces get their standard objects. It does not talk to Nodes
 * itself.
 */
package dev.nodepath.controllers.lifecycle;
