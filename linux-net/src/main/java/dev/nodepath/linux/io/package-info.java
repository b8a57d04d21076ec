/**
 * Abilities of files and sockets beyond the JDK: unix sockets that pass descriptors, batches of datagrams and of
 * sends, file locks, and pipes that never block the writer. It knows no netlink.
 */
package dev.nodepath.linux.io;
