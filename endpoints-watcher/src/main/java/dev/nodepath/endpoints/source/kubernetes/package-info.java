/**
 * Services, EndpointSlices and the own Node from a Kubernetes API server. The fabric8 client gives configuration,
 * authentication, TLS and the models; listing and watching is done here.
 */
package dev.nodepath.endpoints.source.kubernetes;
