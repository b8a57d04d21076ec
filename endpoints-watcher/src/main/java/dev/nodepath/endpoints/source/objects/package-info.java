/**
 * Reads Services, EndpointSlices and Nodes field by field, wherever they come from. A bad entry costs only itself.
 * It knows neither files nor servers.
 */
package dev.nodepath.endpoints.source.objects;
