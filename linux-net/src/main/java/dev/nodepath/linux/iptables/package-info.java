/**
 * Rules of iptables, from values to the kernel. Matches, targets, chains and groups of rules come in. They become the
 * text that {@code iptables-restore} reads, and the programs bring them into force: what differs is sent, what others
 * changed is repaired, and groups that the kernel refuses are left out. What {@code iptables-save} prints goes out as
 * values. It knows no Services, nor what a group is for.
 */
package dev.nodepath.linux.iptables;
