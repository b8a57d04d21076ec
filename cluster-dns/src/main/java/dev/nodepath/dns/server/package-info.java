/**
 * The DNS server. Its UDP and TCP sockets are opened in a network namespace that the caller gives, such as a pod's, on
 * the caller's event loops. It answers from the live zone and asks upstream servers for names outside it.
 */
package dev.nodepath.dns.server;
