/** Whether the proxy keeps up, and whether this node can serve a Service, told over HTTP as kube-proxy tells it. */
package dev.nodepath.agent.health;
