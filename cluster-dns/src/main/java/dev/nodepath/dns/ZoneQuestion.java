package dev.nodepath.dns;

import io.netty.handler.codec.dns.DnsRecordType;

/**
 * What is asked, in class IN.
 *
 * @param name with the case that was asked
 * @param type of the records
 */
record ZoneQuestion(DomainName name, DnsRecordType type) {}
