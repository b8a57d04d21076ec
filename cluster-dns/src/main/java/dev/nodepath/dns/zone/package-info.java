/**
 * What the cluster's DNS knows, as values. Services, their endpoints and namespaces come in; a question goes to its
 * records and response code. The names are those of Kubernetes' DNS specification 1.1.0, and CoreDNS's where it leaves
 * a choice. It knows no packets and no sockets.
 */
package dev.nodepath.dns.zone;
