/**
 * The server on its sockets: TLS, HTTP/1.1 read strictly and within limits, and how answers are written. What a request
 * does is not known here.
 */
package dev.nodepath.apiserver.http;
