/** The counters of relays. Event loops add; the metrics page reads. It depends on no other package of the relay. */
package dev.nodepath.proxy.userspace.metrics;
