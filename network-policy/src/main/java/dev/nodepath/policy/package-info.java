/**
 * NetworkPolicies in force: gathers their objects, says which chains, sets and elements they become, and keeps each
 * family's table so. Objects come in, transactions go out.
 */
package dev.nodepath.policy;
