/** Counts what relays do. Event loops add, metrics pages read. It knows nothing else. */
package dev.nodepath.proxy.userspace.metrics;
