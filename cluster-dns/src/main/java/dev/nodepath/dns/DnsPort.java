package dev.nodepath.dns;

/**
 * A port for SRV records.
 *
 * @param name empty if it has none; then only SRV records of the Service and its endpoints have it
 * @param protocol in lower case, such as {@code tcp}
 */
record DnsPort(String name, String protocol, int port) {}
