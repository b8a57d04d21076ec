/**
 * The kernel's announcements of changed links, addresses and routes. They come in from netlink groups and go out as
 * {@link dev.nodepath.linux.watch.NetworkChange}. It reads nothing itself.
 */
package dev.nodepath.linux.watch;
