/**
 * Reads Services, EndpointSlices and Nodes field by field, from any source. An unusable entry is left out alone. It
 * knows neither files nor servers.
 */
package dev.nodepath.endpoints.source.objects;
