package dev.nodepath.dns.zone;

import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * What a question is answered with.
 *
 * @param authoritative whether it comes from the zone itself
 * @param follow a name outside the zone that the answer's last CNAME leads to; its addresses may be asked upstream
 */
public record Answer(
        DnsResponseCode code,
        boolean authoritative,
        List<ResourceRecord> answers,
        List<ResourceRecord> authority,
        List<ResourceRecord> additional,
        Optional<DomainName> follow) {

    public Answer {
        answers = List.copyOf(answers);
        authority = List.copyOf(authority);
        additional = List.copyOf(additional);
    }

    /** An answer without records. */
    public static Answer of(DnsResponseCode code) {
        return new Answer(code, false, List.of(), List.of(), List.of(), Optional.empty());
    }

    static Answer found(List<ResourceRecord> answers, List<ResourceRecord> additional) {
        return new Answer(DnsResponseCode.NOERROR, true, answers, List.of(), additional, Optional.empty());
    }

    static Answer negative(DnsResponseCode code, ResourceRecord authority) {
        return new Answer(code, true, List.of(), List.of(authority), List.of(), Optional.empty());
    }

    /** A CNAME and what its target is answered with. */
    static Answer alias(ResourceRecord alias, Answer target) {
        return target.after(List.of(alias));
    }

    /** A CNAME whose target is outside the zone. */
    static Answer outside(ResourceRecord alias, DomainName target) {
        return new Answer(DnsResponseCode.NOERROR, true, List.of(alias), List.of(), List.of(), Optional.of(target));
    }

    /** The answer with records that were found upstream. */
    public Answer followed(List<ResourceRecord> found) {
        return new Answer(
                code,
                authoritative,
                Stream.concat(answers.stream(), found.stream()).toList(),
                authority,
                additional,
                Optional.empty());
    }

    /** The answer with addresses in random order: clients take the first, so load spreads. */
    public Answer shuffled(Random random) {
        if (answers.size() < 2) {
            return this;
        }
        List<ResourceRecord> aliases = new ArrayList<>();
        List<ResourceRecord> others = new ArrayList<>();
        answers.forEach(each -> (each.type().equals(DnsRecordType.CNAME) ? aliases : others).add(each));
        Collections.shuffle(others, random);
        aliases.addAll(others);
        return new Answer(code, authoritative, aliases, authority, additional, follow);
    }

    private Answer after(List<ResourceRecord> first) {
        return new Answer(
                code,
                authoritative,
                Stream.concat(first.stream(), answers.stream()).toList(),
                authority,
                additional,
                follow);
    }
}
