/**
 * Policies, pods and namespaces as values, their reading with Kubernetes' defaults, and whether a packet may pass, by
 * which rule of which policy. It asks the policies themselves, and knows no rules of the kernel.
 */
package dev.nodepath.policy.object;
