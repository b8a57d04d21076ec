/**
 * Services, EndpointSlices and Nodes from a Kubernetes API server: listing, watching, and what an agent reports
 * about its node. Objects leave as values of the tracker. It knows no proxies.
 */
package dev.nodepath.endpoints.source.kubernetes;
