/**
 * Metrics in Prometheus text, under kube-proxy's name if there is one. Other parts give their counters, or tell of
 * events.
 */
package dev.nodepath.agent.metrics;
