package dev.nodepath.policy;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.policy.object.Direction;
import java.util.Map;

/**
 * The table of one family.
 *
 * @param chains in force
 * @param elements of sets and maps in force
 * @param refused policies and pods whose rules the kernel has refused
 * @param repairs of changes by other programs
 * @param dropped packets refused by the policies of each direction, since the kernel has had the table
 */
public record PolicyTableStats(
        IpFamily family, int chains, int elements, int refused, long repairs, Map<Direction, Long> dropped) {
    public PolicyTableStats {
        dropped = Map.copyOf(dropped);
    }
}
