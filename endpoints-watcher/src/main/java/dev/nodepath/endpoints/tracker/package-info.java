/** From objects of the cluster to snapshots: what a proxy sees of Services and EndpointSlices, and what changed. */
package dev.nodepath.endpoints.tracker;
