package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.Protocol;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The ports that the portals in force redirect to. They show which process has the portals.
 *
 * @param own ports of this process
 * @param others ports of other processes
 */
record RedirectedPorts(Set<Port> own, Set<Port> others) {
    private static final Pattern LEADING_RULE = Pattern.compile(
            "^-A KUBE-(?:PORTALS|NODEPORT)-\\S+ .*?-p (tcp|udp) .*(?:--to-ports |--to-destination \\S+:)(\\d+)",
            Pattern.MULTILINE);

    /** No ports. */
    static final RedirectedPorts NONE = new RedirectedPorts(Set.of(), Set.of());

    RedirectedPorts {
        own = Set.copyOf(own);
        others = Set.copyOf(others);
    }

    /** A port of a relay. */
    record Port(Protocol protocol, int number) {}

    /**
     * Reads a listing of the nat table: the rules of kube-proxy's userspace mode, and of earlier versions of Nodepath.
     *
     * @param isOwn whether this process has a port
     */
    static RedirectedPorts of(String nat, Predicate<Port> isOwn) {
        Set<Port> own = new LinkedHashSet<>();
        Set<Port> others = new LinkedHashSet<>();
        LEADING_RULE.matcher(nat).results().forEach(rule -> {
            Protocol protocol = Protocol.valueOf(rule.group(1).toUpperCase(Locale.ROOT));
            Port port = new Port(protocol, Integer.parseInt(rule.group(2)));
            (isOwn.test(port) ? own : others).add(port);
        });
        return new RedirectedPorts(own, others);
    }

    /** The ports of both. */
    RedirectedPorts and(RedirectedPorts more) {
        return new RedirectedPorts(union(own, more.own), union(others, more.others));
    }

    private static Set<Port> union(Set<Port> some, Set<Port> more) {
        Set<Port> all = new HashSet<>(some);
        all.addAll(more);
        return all;
    }

    /** The UDP ports of other processes. */
    Set<Integer> othersUdp() {
        return others.stream()
                .filter(port -> port.protocol() == Protocol.UDP)
                .map(Port::number)
                .collect(Collectors.toSet());
    }
}
