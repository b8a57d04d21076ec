/**
 * Keeps a zone as the cluster's objects are. Services, EndpointSlices and Namespaces of the API come in; changes of the
 * live zone go out. It is the only package here that knows the API server.
 */
package dev.nodepath.dns.source;
