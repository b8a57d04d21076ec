/**
 * Who may talk to the server: its certificate, its bearer token and the kubeconfig that holds both. It knows nothing of
 * HTTP.
 */
package dev.nodepath.apiserver.access;
