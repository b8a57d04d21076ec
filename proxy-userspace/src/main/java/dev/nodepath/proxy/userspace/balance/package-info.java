/**
 * Which endpoint a client gets: round robin, session affinity, and what has left. It knows no sockets and no rules.
 */
package dev.nodepath.proxy.userspace.balance;
