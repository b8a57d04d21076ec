/** When a proxy is synced: coalescing, intervals and retries, with time passed in. */
package dev.nodepath.endpoints.sync;
