/**
 * Portals: the addresses and ports of Services, and the rules that redirect them to the relay. It makes a plan and
 * rules from a snapshot. It opens no sockets.
 */
package dev.nodepath.proxy.userspace.portals;
