package dev.nodepath.policy.object;

import dev.nodepath.endpoints.Protocol;

/**
 * The destination ports of a rule.
 *
 * @param first the lowest number; 0 with a name
 * @param last the highest number; 0 with a name
 * @param name the name of the destination pod's port; empty with numbers
 */
public record PolicyPort(Protocol protocol, int first, int last, String name) {
    /** The highest port number. */
    public static final int PORT_MAX = 65_535;

    /** Every port of a protocol. */
    static PolicyPort all(Protocol protocol) {
        return new PolicyPort(protocol, 0, PORT_MAX, "");
    }

    /** Whether it has a name instead of numbers. */
    public boolean isNamed() {
        return !name.isEmpty();
    }

    /** Whether it has every port of its protocol. */
    public boolean isAll() {
        return first == 0 && last == PORT_MAX;
    }

    /** Whether the number is in its range; never with a name. */
    public boolean contains(int port) {
        return !isNamed() && first <= port && port <= last;
    }
}
