/**
 * The iptables programs: which variant a node uses, how they are run, and how their failures read. It also notices
 * changes of the tables by others. It knows no Services.
 */
package dev.nodepath.linux.iptables.command;
