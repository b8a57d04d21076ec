/**
 * When a proxy is synced: coalescing, intervals and retries. Changes come in, calls of a proxy go out, and time is
 * passed in. It does not know what a sync does.
 */
package dev.nodepath.endpoints.sync;
