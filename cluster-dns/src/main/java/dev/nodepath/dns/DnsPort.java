package dev.nodepath.dns;

/**
 * A port that SRV records tell of.
 *
 * @param name empty if it has none; then it has no SRV record
 * @param protocol in lower case, such as {@code tcp}
 */
record DnsPort(String name, String protocol, int port) {}
