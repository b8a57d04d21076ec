/**
 * Services and EndpointSlices as immutable snapshots with what changed: the one watcher that both proxies share.
 */
package dev.nodepath.endpoints;
