/**
 * Streams of pods: logs, commands, ports. The runner of the pods implements {@code PodStreams}; the server carries its
 * streams to clients. It knows no sockets.
 */
package dev.nodepath.apiserver.stream;
