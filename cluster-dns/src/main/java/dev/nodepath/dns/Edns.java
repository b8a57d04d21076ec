package dev.nodepath.dns;

/**
 * What an OPT record says (RFC 6891).
 *
 * @param payloadSize the largest UDP message that its sender takes, in bytes
 * @param dnssecOk the DO bit, which answers copy
 */
record Edns(int payloadSize, int version, boolean dnssecOk) {
    static final int OPT = 41;
    static final int DNSSEC_OK = 0x8000;
}
