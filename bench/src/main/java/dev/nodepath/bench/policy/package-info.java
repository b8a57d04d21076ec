/** The cost of NetworkPolicies, and the time until they are in force. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.policy;
