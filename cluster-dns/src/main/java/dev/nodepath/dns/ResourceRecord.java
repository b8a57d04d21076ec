package dev.nodepath.dns;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import io.netty.handler.codec.dns.DnsRecordType;

/**
 * A record in class IN.
 *
 * @param owner the name of the record
 * @param ttl seconds for which other servers may cache it
 */
record ResourceRecord(DomainName owner, DnsRecordType type, int ttl, RecordData data) {

    /** A or AAAA, by the address. */
    static ResourceRecord address(DomainName owner, int ttl, IpAddress address) {
        DnsRecordType type = address.family() == IpFamily.IPV4 ? DnsRecordType.A : DnsRecordType.AAAA;
        return new ResourceRecord(owner, type, ttl, new RecordData.Address(address));
    }

    /** A record whose data is a name. */
    static ResourceRecord target(DomainName owner, DnsRecordType type, int ttl, DomainName target) {
        return new ResourceRecord(owner, type, ttl, new RecordData.Target(target));
    }
}
