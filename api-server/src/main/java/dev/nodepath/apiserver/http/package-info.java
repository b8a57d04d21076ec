/**
 * The server on its sockets: TLS, HTTP/1.1 read strictly and within limits, and the writing of answers. It does not
 * know the meaning of requests.
 */
package dev.nodepath.apiserver.http;
