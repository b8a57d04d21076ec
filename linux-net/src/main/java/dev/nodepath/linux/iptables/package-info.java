/**
 * iptables rule sets as values, their text for {@code iptables-restore}, and the commands that load and list them.
 */
package dev.nodepath.linux.iptables;
