/**
 * Follows whether Nodes are alive, and removes what nobody needs. In go Leases and Nodes, out come the condition Ready,
 * taints, readiness of Pods and evictions. Dependents of owners that are gone, the contents of deleted Namespaces, Pods
 * of Nodes that are gone and old Events are deleted. New Namespaces get what each has. It asks no Node itself.
 */
package dev.nodepath.controllers.lifecycle;
