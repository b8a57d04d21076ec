/**
 * The proxy of userspace mode. Snapshots come in; rules lead Services to relays of this process, which pass the
 * traffic on. This package joins what the ones below do.
 */
package dev.nodepath.proxy.userspace;
