/**
 * HTTP/1.1 from octets to requests, strictly and within limits, for every server that somebody else can reach. It knows
 * no paths and no contents.
 */
package dev.nodepath.apiserver.framing;
