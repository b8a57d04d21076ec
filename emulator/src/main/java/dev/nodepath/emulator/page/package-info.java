/**
 * Feeds the live page from the running cluster: its objects, its agents' syncs, and what a reader of the page does to
 * it. It does not know how the page looks or how it is served.
 */
package dev.nodepath.emulator.page;
