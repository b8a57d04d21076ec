/**
 * iptables rules as values: matches, targets, chains, and the groups that are applied or refused together. It knows
 * no text and no command.
 */
package dev.nodepath.linux.iptables.rule;
