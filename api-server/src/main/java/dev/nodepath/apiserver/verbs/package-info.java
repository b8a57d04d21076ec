/**
 * What each request does: a request comes in, an answer goes out. Objects are read and changed through the operations
 * of the root package. It knows no sockets.
 */
package dev.nodepath.apiserver.verbs;
