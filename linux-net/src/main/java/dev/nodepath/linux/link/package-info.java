/**
 * Links, their VLANs, addresses and counters: values, and the rtnetlink messages that list and change them. Requests go
 * out through a socket that the caller has opened. It knows no namespaces.
 */
package dev.nodepath.linux.link;
