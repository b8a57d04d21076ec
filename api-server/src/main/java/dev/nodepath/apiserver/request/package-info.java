/**
 * Requests and answers as values: paths, parameters, bodies, media types, Status objects. It knows neither sockets nor
 * what a request does.
 */
package dev.nodepath.apiserver.request;
