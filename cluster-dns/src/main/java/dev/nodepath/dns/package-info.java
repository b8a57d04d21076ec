/**
 * The DNS of the emulated cluster. The API's Services, EndpointSlices and Namespaces become a zone. The bytes of a
 * query come in, and its records and response code go out as bytes (RFC 1035, RFC 6891). Names follow Kubernetes' DNS
 * specification 1.1.0, and CoreDNS where the specification leaves a choice. The caller gives the network namespace of
 * the sockets, and their event loops. Names outside the zone are refused. The zone knows no packets, and messages know
 * no sockets.
 */
package dev.nodepath.dns;
