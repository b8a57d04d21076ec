/**
 * Enforces NetworkPolicies: gathers their objects, renders chains, sets and elements, and keeps each family's table in
 * sync. Objects come in, transactions go out.
 */
package dev.nodepath.policy;
