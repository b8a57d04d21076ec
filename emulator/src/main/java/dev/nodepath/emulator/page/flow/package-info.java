/**
 * Who talks to whom, read from the connection tracking of all nodes by sockets that stay open. Entries come in, flows
 * with names go out. It does not know how they are shown.
 */
package dev.nodepath.emulator.page.flow;
