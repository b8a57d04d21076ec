package dev.nodepath.dns;

/**
 * The content of an OPT record (RFC 6891).
 *
 * @param payloadSize the largest UDP message that its sender accepts, in bytes
 * @param dnssecOk the DO bit, which answers repeat
 */
record Edns(int payloadSize, int version, boolean dnssecOk) {
    static final int OPT = 41;
    static final int DNSSEC_OK = 0x8000;
}
