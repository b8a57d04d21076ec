/**
 * Feeds the live page from the running cluster: its objects, its agents' syncs, what each link carries in a second,
 * and what a reader of the page does to it. Who talks to whom is read from the connection tracking of all nodes. A
 * probe is one packet that is sent for real: what the rules promise stands beside what sender, connection tracking,
 * the kernels' traces and the links have seen. Counters and connections are read by sockets that stay open. It does
 * not know how the page looks or how it is served.
 */
package dev.nodepath.emulator.page;
