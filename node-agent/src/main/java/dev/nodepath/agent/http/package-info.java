/**
 * Small HTTP answers by the JDK's server with limits, and health as kube-proxy answers it: whether the proxy keeps up,
 * and whether this node can serve a Service. It knows no proxies and no metrics.
 */
package dev.nodepath.agent.http;
