/**
 * What each link carries in a second, read from the counters of all nodes by sockets that stay open. Counters come in,
 * rates of the page's parts go out. It does not know how they are shown.
 */
package dev.nodepath.emulator.page.rate;
