/**
 * Turns objects of the cluster into snapshots. Sources put objects in. The result is a snapshot with the names of the
 * changed service ports. It does not know the sources.
 */
package dev.nodepath.endpoints.tracker;
