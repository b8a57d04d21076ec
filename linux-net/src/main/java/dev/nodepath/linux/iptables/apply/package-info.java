/**
 * Brings rule sets into force and keeps them there. It sends what differs, repairs what others changed, and leaves
 * out groups that the kernel refuses. It gets groups of rules and does not know what they are for.
 */
package dev.nodepath.linux.iptables.apply;
