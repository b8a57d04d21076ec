/**
 * The choice of an endpoint for a client: round robin, session affinity, ejection. It knows no sockets and no rules.
 */
package dev.nodepath.proxy.userspace.balance;
