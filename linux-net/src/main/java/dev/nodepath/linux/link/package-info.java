/**
 * Links, their VLANs, addresses and counters: values, the operations on them, and their rtnetlink messages.
 * Requests go out through a socket that the caller has opened. It knows no namespaces.
 */
package dev.nodepath.linux.link;
