/**
 * Follows one packet through a rule set and tells each step. It reads rule sets and no kernel, so it needs no
 * privileges.
 */
package dev.nodepath.proxy.iptables.trace;
