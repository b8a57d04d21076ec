package dev.nodepath.dns;

import io.netty.handler.codec.dns.DnsRecordType;

/**
 * A question, in class IN.
 *
 * @param name in the case of the query
 * @param type of the records
 */
record ZoneQuestion(DomainName name, DnsRecordType type) {}
