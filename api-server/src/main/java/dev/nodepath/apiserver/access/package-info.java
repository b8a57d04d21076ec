/**
 * The access of clients to the server: its certificate, its bearer token and the kubeconfig with both. It knows
 * nothing of HTTP.
 */
package dev.nodepath.apiserver.access;
