/**
 * Turns objects of the cluster into snapshots. Sources put objects in; a snapshot with the names of what changed
 * comes out. It does not know where objects come from.
 */
package dev.nodepath.endpoints.tracker;
