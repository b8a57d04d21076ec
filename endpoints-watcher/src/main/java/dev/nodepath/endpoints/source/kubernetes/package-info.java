/**
 * Services, EndpointSlices and Nodes from a Kubernetes API server: kubeconfig, authentication, requests, lists,
 * watches, and the agent's reports about its node. The fabric8 client gives configuration and connections. The results
 * are values of the tracker. It knows no proxies.
 */
package dev.nodepath.endpoints.source.kubernetes;
