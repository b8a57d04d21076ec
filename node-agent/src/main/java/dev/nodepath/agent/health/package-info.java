/**
 * Health over HTTP as kube-proxy answers it: whether the proxy keeps up, and whether this node can serve a Service.
 */
package dev.nodepath.agent.health;
