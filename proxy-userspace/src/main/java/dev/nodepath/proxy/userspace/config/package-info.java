/** The configuration of relays: limits, times and ports. The values are immutable and checked when they are built. */
package dev.nodepath.proxy.userspace.config;
