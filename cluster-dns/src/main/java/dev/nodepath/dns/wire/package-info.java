/**
 * DNS messages (RFC 1035, RFC 6891). The bytes of a query come in and become a request or an error; an answer becomes
 * bytes with compressed names, whole records and a size limit. It knows no sockets, and throws nothing for bad input.
 */
package dev.nodepath.dns.wire;
