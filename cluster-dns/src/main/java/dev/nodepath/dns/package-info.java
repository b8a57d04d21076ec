/**
 * The DNS of the emulated cluster. The API's Services, EndpointSlices and Namespaces become a zone. The bytes of a
 * query come in, and its records and response code go out as bytes (RFC 1035, RFC 6891). The names are those of
 * Kubernetes' DNS specification 1.1.0, and CoreDNS's where it leaves a choice. Sockets are opened in a network
 * namespace that the caller gives, on the caller's event loops. Upstream servers are asked for names outside the zone.
 * The zone knows no packets, and messages know no sockets.
 */
package dev.nodepath.dns;
