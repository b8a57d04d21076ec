/** What NetworkPolicies cost, and how soon they are in force. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.policy;
