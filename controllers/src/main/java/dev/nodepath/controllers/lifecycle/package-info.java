/**
 * Follows whether Nodes are alive. In go Leases and Nodes, out come the condition Ready, taints, readiness of Pods and
 * evictions. It asks no Node itself.
 */
package dev.nodepath.controllers.lifecycle;
