/**
 * Requests and answers as values: paths, parameters, bodies in JSON, YAML and Kubernetes' protobuf form, media types,
 * Status objects. It knows neither sockets nor the effects of requests.
 */
package dev.nodepath.apiserver.request;
