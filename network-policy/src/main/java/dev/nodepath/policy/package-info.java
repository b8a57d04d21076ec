/**
 * NetworkPolicies in force: gathers their objects, and keeps each family's table as they ask. Objects come in,
 * transactions go out.
 */
package dev.nodepath.policy;
