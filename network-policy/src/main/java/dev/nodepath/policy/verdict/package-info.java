/**
 * Whether a packet may pass, and by which rule of which policy. It asks the policies themselves, not the rules of the
 * kernel that stand for them.
 */
package dev.nodepath.policy.verdict;
