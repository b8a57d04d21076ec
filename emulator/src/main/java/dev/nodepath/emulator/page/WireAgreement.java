package dev.nodepath.emulator.page;

import dev.nodepath.emulator.walk.Hop;
import dev.nodepath.emulator.walk.Hop.Addresses;
import dev.nodepath.emulator.walk.PacketStep;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares the addresses that the steps promise between two places with the packets on the links there.
 *
 * @param seen for each step that passes a packet on: the links that carried the packet, in words
 * @param missing the steps that pass a packet on, although no watched link has carried the packet with these addresses
 * @param differences a sentence each; empty if steps and links agree
 */
record WireAgreement(Map<Integer, String> seen, Set<Integer> missing, List<String> differences) {
    WireAgreement {
        seen = Map.copyOf(seen);
        missing = Set.copyOf(missing);
        differences = List.copyOf(differences);
    }

    /**
     * Compares node by node; a node's loopback is no wire.
     *
     * @param answered whether the answer of the steps has come; a refusal is another packet
     */
    static WireAgreement of(List<PacketStep> steps, WireWay wire, boolean answered) {
        Map<Integer, String> seen = new LinkedHashMap<>();
        Set<Integer> missing = new LinkedHashSet<>();
        List<String> differences = new ArrayList<>();
        for (int i = 0; i + 1 < steps.size(); i++) {
            for (Side side : sides(steps.get(i), steps.get(i + 1), wire)) {
                String ends = ends(steps.get(i).after());
                String places = places(side, ends, wire);
                if (!places.isEmpty()) {
                    seen.merge(i, side.node() + " " + places, (one, other) -> one + "; " + other);
                } else if ((answered || !steps.get(i).answer()) && missing.add(i)) {
                    differences.add(
                            "On the links of " + side.node() + ". Promised: " + ends + ". Carried: nothing such.");
                }
            }
        }
        addUnpromised(steps, wire, differences);
        seen.keySet().removeAll(missing);
        return new WireAgreement(seen, missing, differences);
    }

    /** One end of the way between two steps: a node, and the direction there. */
    private record Side(String node, boolean outgoing) {}

    /** The nodes whose links carry a packet from one step to the next; none if it stays in its place. */
    private static List<Side> sides(PacketStep step, PacketStep next, WireWay wire) {
        return step.where().equals(next.where())
                ? List.of()
                : Stream.of(new Side(step.where(), true), new Side(next.where(), false))
                        .filter(side -> wire.watched().contains(side.node()))
                        .toList();
    }

    private static String places(Side side, String ends, WireWay wire) {
        return wire.hops().stream()
                .filter(hop -> hop.node().equals(side.node()) && hop.outgoing() == side.outgoing())
                .filter(hop -> hop.ends().equals(ends))
                .map(WireHop::place)
                .distinct()
                .collect(Collectors.joining(", "));
    }

    private static String ends(Addresses addresses) {
        return WireHop.ends(addresses.source(), addresses.destination());
    }

    /**
     * Adds packets that a node on the way carried with addresses of no step. Steps that end in a refusal promise no
     * answer.
     */
    private static void addUnpromised(List<PacketStep> steps, WireWay wire, List<String> differences) {
        Set<String> walked = steps.stream().map(PacketStep::where).collect(Collectors.toSet());
        List<Addresses> promised = steps.stream()
                .flatMap(step -> Stream.of(step.before(), step.after()))
                .toList();
        boolean answerTold = steps.stream().anyMatch(PacketStep::answer);
        Set<String> told = new LinkedHashSet<>();
        for (WireHop hop : wire.hops()) {
            boolean expected = hop.isLoopback()
                    || (hop.answer() && !answerTold)
                    || promised.stream().anyMatch(each -> isPromised(hop, each));
            if (walked.contains(hop.node()) && !expected && told.add(hop.node() + hop.ends())) {
                differences.add("On the links of " + hop.node() + ". Promised: no such packet. Carried: " + hop.ends()
                        + " (" + hop.place() + ").");
            }
        }
    }

    /** A bridge with netfilter shows a packet on its way to a relay with the relay's address. */
    private static boolean isPromised(WireHop hop, Addresses promised) {
        if (promised.destination().startsWith(Hop.RELAY)) {
            return !hop.answer() && hop.packet().source().toString().equals(promised.source());
        }
        if (promised.source().startsWith(Hop.RELAY)) {
            return hop.answer() && hop.packet().destination().toString().equals(promised.destination());
        }
        return hop.ends().equals(ends(promised));
    }
}
