/**
 * Feeds the live page from the running cluster: its objects, its agents' syncs, what each link carries in a second, and
 * what a reader of the page does to it. The counters of all nodes are read by sockets that stay open. It does not know
 * how the page looks or how it is served.
 */
package dev.nodepath.emulator.page;
