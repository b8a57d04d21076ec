/**
 * Watches: changes of the store as lines of JSON, filtered for each client and encoded once for all. A bounded queue is
 * between the store and each client. It knows nothing of HTTP.
 */
package dev.nodepath.apiserver.watch;
