/**
 * Policies, pods and namespaces as values, and their reading with Kubernetes' defaults. It knows no rules of the kernel.
 */
package dev.nodepath.policy.object;
