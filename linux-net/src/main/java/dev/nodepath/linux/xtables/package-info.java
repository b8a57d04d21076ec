/**
 * The legacy tables of iptables, as the kernel tells of them without the iptables command: their names and sizes.
 * They show whether somebody has changed a table.
 */
package dev.nodepath.linux.xtables;
