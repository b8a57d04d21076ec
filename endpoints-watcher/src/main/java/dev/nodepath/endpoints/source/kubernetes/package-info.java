/**
 * Services, EndpointSlices and the own Node from a Kubernetes API server. The fabric8 client gives configuration,
 * authentication and TLS; listing, watching and reading objects is done here.
 */
package dev.nodepath.endpoints.source.kubernetes;
