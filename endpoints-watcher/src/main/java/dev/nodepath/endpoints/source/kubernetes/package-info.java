/**
 * Services, EndpointSlices and Nodes from a Kubernetes API server: lists, watches, and the agent's reports about its
 * node. The results are values of the tracker. It knows no proxies.
 */
package dev.nodepath.endpoints.source.kubernetes;
