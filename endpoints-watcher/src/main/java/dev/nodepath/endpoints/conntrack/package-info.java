/**
 * Tracked flows that no longer match the rules. It finds and deletes them after a sync, as kube-proxy does. It knows
 * rules only by the Services they are for.
 */
package dev.nodepath.endpoints.conntrack;
