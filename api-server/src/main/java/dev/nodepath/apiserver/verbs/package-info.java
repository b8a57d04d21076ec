/**
 * The work of each request: a request comes in, an answer goes out. Objects are read and changed through the
 * operations of the root package. Watches send changes of the store as lines of JSON, filtered for each client and
 * encoded once for all; a bounded queue is between the store and each client. It knows no sockets.
 */
package dev.nodepath.apiserver.verbs;
