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
 * @param repairs of what other programs have changed
 * @param dropped packets that the policies of each direction have refused, since the kernel has the table
 */
public record PolicyTableStats(
        IpFamily family, int chains, int elements, int refused, long repairs, Map<Direction, Long> dropped) {
    public PolicyTableStats {
        dropped = Map.copyOf(dropped);
    }
}
