/**
 * The proxy of userspace mode. It takes snapshots. Rules redirect the traffic of Services to relays in this process,
 * which forward it. This package joins the packages below.
 */
package dev.nodepath.proxy.userspace;
