/**
 * Bodies in Kubernetes' protobuf form, which kubectl sends when it creates some kinds. Octets come in, trees go out;
 * answers are always JSON.
 */
package dev.nodepath.apiserver.protobuf;
