/**
 * Policies, pods and namespaces as values, their reading with Kubernetes' defaults, and the decision whether a packet
 * may pass, with the deciding rule. It evaluates the policies themselves, and knows no rules of the kernel.
 */
package dev.nodepath.policy.object;
