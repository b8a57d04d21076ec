/**
 * Where the objects of a cluster come from. A source starts, reports its health and hands its objects to a tracker.
 * The kinds of sources are the packages below.
 */
package dev.nodepath.endpoints.source;
