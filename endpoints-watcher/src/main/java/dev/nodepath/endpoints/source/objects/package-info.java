/** What Services, EndpointSlices and Nodes say, wherever they come from: read field by field, so that one bad entry costs only itself. */
package dev.nodepath.endpoints.source.objects;
