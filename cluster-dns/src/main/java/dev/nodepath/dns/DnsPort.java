package dev.nodepath.dns;

/**
 * A port that SRV records tell of.
 *
 * @param name empty if it has none; then only the names of its Service and endpoints tell of it
 * @param protocol in lower case, such as {@code tcp}
 */
record DnsPort(String name, String protocol, int port) {}
