package dev.nodepath.emulator.page;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.trace.Trace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The fate of a packet, compared with the promise of the rules.
 *
 * @param answer the sender's observation
 * @param entries the packet's connection tracking entries
 * @param end the promised end that fits; empty if none does
 * @param differences a sentence each; empty if the promise was kept
 */
record ProbeResult(ProbeAnswer answer, List<NodeFlow> entries, Optional<Walk.End> end, List<String> differences) {
    ProbeResult {
        entries = List.copyOf(entries);
        differences = List.copyOf(differences);
    }

    /**
     * Compares answer and entries with the promise.
     *
     * @param forms the addresses of the packet; they tell its destination if no entry does
     */
    static ProbeResult of(Walk walk, ProbeAnswer answer, List<NodeFlow> entries, Set<Packet> forms) {
        Optional<Walk.End> end = walk.ends().stream()
                .filter(each -> fits(walk, each, answer, entries))
                .min(Comparator.comparing(each -> forms.stream().noneMatch(form -> isAt(each, form))));
        List<String> differences = new ArrayList<>();
        if (end.isEmpty()) {
            differences.add("Promised: " + promised(walk) + ". Observed: " + observed(answer, entries) + ".");
        }
        return new ProbeResult(answer, entries, end, differences);
    }

    private static boolean fits(Walk walk, Walk.End end, ProbeAnswer answer, List<NodeFlow> entries) {
        boolean refuses = end.verdict() == Trace.Verdict.REJECT;
        return switch (answer.kind()) {
            case ANSWERED -> end.reaches() && names(end, answer) && sees(end, answer) && tracks(walk, end, entries);
            // A receiver without a listener refuses the packet itself.
            case REFUSED -> refuses || (end.reaches() && tracks(walk, end, entries));
            // A relay accepts a connection before it has an endpoint; otherwise only a receiver accepts.
            case TAKEN, CLOSED -> end.reaches() ? tracks(walk, end, entries) : walk.mode() == ProxyMode.USERSPACE;
            case SILENT -> end.isSilent() || mayKeepSilent(walk, end, entries);
            case UNREACHABLE -> end.isSilent();
        };
    }

    /**
     * Whether a receiver may have got a datagram without an answer. A receiver need not answer, and a relay passes no
     * refusal on.
     */
    private static boolean mayKeepSilent(Walk walk, Walk.End end, List<NodeFlow> entries) {
        return walk.to().protocol() == Protocol.UDP
                && end.reaches()
                && !entries.isEmpty()
                && tracks(walk, end, entries);
    }

    /** Whether the answer names this end, or no end at all. */
    static boolean names(Walk.End end, ProbeAnswer answer) {
        String plain = end.name().substring(end.name().indexOf('/') + 1);
        return answer.pod().isEmpty() || answer.pod().equals(plain);
    }

    private static boolean sees(Walk.End end, ProbeAnswer answer) {
        return answer.seen().isEmpty()
                || end.seen()
                        .filter(seen -> answer.seen().equals(seen.toString()))
                        .isPresent();
    }

    /**
     * Whether the last entry of the packet leads to this end. True without entries, as they are unknown. If the
     * entries end at a relay, its second leg was not seen: the packets on the links tell whether it existed.
     */
    private static boolean tracks(Walk walk, Walk.End end, List<NodeFlow> entries) {
        if (entries.isEmpty()) {
            return true;
        }
        Packet last = entries.get(entries.size() - 1).became();
        boolean endsAtRelay =
                walk.mode() == ProxyMode.USERSPACE && walk.ends().stream().noneMatch(each -> isAt(each, last));
        return endsAtRelay || isAt(end, last);
    }

    /** Whether a packet's destination is this end. */
    static boolean isAt(Walk.End end, Packet packet) {
        return end.address().equals(packet.destination()) && end.port() == packet.port();
    }

    private static String promised(Walk walk) {
        return walk.ends().stream()
                .map(end -> switch (end.verdict()) {
                    case DROP -> "it is dropped";
                    case REJECT -> "it is rejected";
                    case ENDPOINT, ACCEPT, UNTOUCHED ->
                        end.reaches()
                                ? end.name() + " at " + end.address().withPort(end.port())
                                        + end.seen()
                                                .map(seen -> " sees " + seen)
                                                .orElse("")
                                : "nobody answers";
                })
                .collect(Collectors.joining(", or "));
    }

    private static String observed(ProbeAnswer answer, List<NodeFlow> entries) {
        String last = entries.isEmpty()
                ? ""
                : ", and conntrack has "
                        + entries.get(entries.size() - 1).became().target();
        return switch (answer.kind()) {
            case ANSWERED ->
                (answer.pod().isEmpty() ? "somebody answered" : answer.pod() + " answered")
                        + (answer.seen().isEmpty() ? "" : " and saw " + answer.seen())
                        + last;
            case REFUSED -> "it was refused" + last;
            case TAKEN -> "the connection was taken, and nobody spoke" + last;
            case CLOSED -> "the connection was taken and closed" + last;
            case UNREACHABLE -> answer.text() + last;
            case SILENT -> "nobody answered" + last;
        };
    }
}
