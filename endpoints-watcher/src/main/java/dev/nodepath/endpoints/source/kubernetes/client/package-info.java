/**
 * The HTTP client of a Kubernetes API server: kubeconfig, authentication, TLS and requests. The fabric8 client gives
 * configuration and connections. It knows paths and bodies, not the objects in them.
 */
package dev.nodepath.endpoints.source.kubernetes.client;
