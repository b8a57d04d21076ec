/**
 * Portals: the addresses and ports of Services, and the table that redirects them to the relay. It makes a plan
 * and a table from a snapshot. It opens no sockets.
 */
package dev.nodepath.proxy.userspace.portals;
