/**
 * Feeds the live page from the running cluster: its objects, its agents' syncs, the traffic of each link in a second,
 * and the actions of the page's readers. Flows come from the connection tracking of all nodes. A probe sends one real
 * packet, and compares the promise of the rules with the observations of sender, connection tracking, the kernels'
 * traces and the links. Counters and connections are read by sockets that stay open. It does not know how the page
 * looks or how it is served.
 */
package dev.nodepath.emulator.page;
