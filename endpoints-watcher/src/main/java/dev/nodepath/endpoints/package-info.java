/**
 * Services and EndpointSlices as immutable snapshots, with what changed: the watcher that all proxies share. Sources
 * feed it, proxies listen. It knows no rules and no relays.
 */
package dev.nodepath.endpoints;
