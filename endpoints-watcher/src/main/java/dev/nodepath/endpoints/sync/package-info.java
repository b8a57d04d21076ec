/**
 * Decides when a proxy is synced: coalescing, intervals and retries. Changes come in, calls of a proxy go out, and
 * time is passed in. After a sync, tracked flows that no longer match the rules are found and deleted, as kube-proxy
 * does. It does not know the content of a sync.
 */
package dev.nodepath.endpoints.sync;
