/**
 * The text of iptables: what {@code iptables-restore} reads and {@code iptables-save} prints. Rule sets come in and
 * go out as text, listings come in and go out as values. It runs nothing.
 */
package dev.nodepath.linux.iptables.text;
