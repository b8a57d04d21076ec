/**
 * Services and EndpointSlices as immutable snapshots with their changes: the watcher that all proxies share. Sources
 * put objects into a tracker; proxies get snapshots with the names of the changed service ports. It knows no sources,
 * no rules and no relays.
 */
package dev.nodepath.endpoints;
