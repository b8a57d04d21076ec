/**
 * Where the objects of a cluster come from. A source starts, reports its health and hands its objects to a tracker.
 * Services, EndpointSlices and Nodes are read field by field; an unusable entry is left out alone. One source is here:
 * manifests in files and folders, read once or watched. Their errors name the file and the line.
 */
package dev.nodepath.endpoints.source;
