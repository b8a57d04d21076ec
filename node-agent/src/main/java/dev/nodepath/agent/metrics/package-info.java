/**
 * Metrics in Prometheus text, with kube-proxy's names where it has one. It reads counters of other parts and changes
 * nothing.
 */
package dev.nodepath.agent.metrics;
