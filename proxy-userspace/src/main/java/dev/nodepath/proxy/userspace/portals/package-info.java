/**
 * What leads to a relay: addresses and ports of Services, and the rules that redirect them. A snapshot comes in, a
 * plan and rules go out. It opens no sockets.
 */
package dev.nodepath.proxy.userspace.portals;
