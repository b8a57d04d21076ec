package dev.nodepath.emulator.kubelet;

import javax.net.ssl.SSLContext;

/**
 * How a node reaches the API server.
 *
 * @param url of the server
 * @param token of the node
 * @param tls trusts the server
 */
public record ApiAccess(String url, String token, SSLContext tls) {}
