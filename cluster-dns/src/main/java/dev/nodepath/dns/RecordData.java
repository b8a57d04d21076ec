package dev.nodepath.dns;

import dev.nodepath.linux.address.IpAddress;

/** The data of a record. */
sealed interface RecordData {
    /** A or AAAA. */
    record Address(IpAddress address) implements RecordData {}

    /** CNAME, NS or PTR. */
    record Target(DomainName name) implements RecordData {}

    /** SRV (RFC 2782). */
    record Location(int priority, int weight, int port, DomainName target) implements RecordData {}

    /** TXT of one string of at most 255 bytes. */
    record Text(String text) implements RecordData {}

    /**
     * SOA.
     *
     * @param server the primary name server
     * @param mailbox of the responsible person, as a name
     * @param serial grows with changes
     * @param negativeTtl seconds for which other servers may cache that a name does not exist
     */
    record Authority(DomainName server, DomainName mailbox, long serial, int negativeTtl) implements RecordData {}
}
