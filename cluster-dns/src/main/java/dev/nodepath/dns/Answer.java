package dev.nodepath.dns;

import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * The answer to a question.
 *
 * @param authoritative whether it comes from the zone itself
 */
record Answer(
        DnsResponseCode code,
        boolean authoritative,
        List<ResourceRecord> answers,
        List<ResourceRecord> authority,
        List<ResourceRecord> additional) {

    Answer {
        answers = List.copyOf(answers);
        authority = List.copyOf(authority);
        additional = List.copyOf(additional);
    }

    /** An answer without records. */
    static Answer of(DnsResponseCode code) {
        return new Answer(code, false, List.of(), List.of(), List.of());
    }

    static Answer found(List<ResourceRecord> answers, List<ResourceRecord> additional) {
        return new Answer(DnsResponseCode.NOERROR, true, answers, List.of(), additional);
    }

    static Answer negative(DnsResponseCode code, ResourceRecord authority) {
        return new Answer(code, true, List.of(), List.of(authority), List.of());
    }

    /** A CNAME with the answer for its target. */
    static Answer alias(ResourceRecord alias, Answer target) {
        return target.after(List.of(alias));
    }

    /** A CNAME whose target is outside the zone. */
    static Answer outside(ResourceRecord alias) {
        return found(List.of(alias), List.of());
    }

    /** The answer with addresses in random order: clients take the first one, so the load spreads. */
    Answer shuffled(Random random) {
        if (answers.size() < 2) {
            return this;
        }
        List<ResourceRecord> aliases = new ArrayList<>();
        List<ResourceRecord> others = new ArrayList<>();
        answers.forEach(each -> (each.type().equals(DnsRecordType.CNAME) ? aliases : others).add(each));
        Collections.shuffle(others, random);
        aliases.addAll(others);
        return new Answer(code, authoritative, aliases, authority, additional);
    }

    private Answer after(List<ResourceRecord> first) {
        return new Answer(
                code,
                authoritative,
                Stream.concat(first.stream(), answers.stream()).toList(),
                authority,
                additional);
    }
}
