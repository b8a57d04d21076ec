package dev.nodepath.proxy.nftables;

/**
 * The size of one family's table.
 *
 * @param chains chains in force
 * @param elements elements of sets and maps in force
 * @param written parts of the table that all changes have sent so far
 * @param cleanupFailures removals of unused chains that failed; the next full sync makes up for each
 */
public record TableSize(int chains, int elements, long written, long cleanupFailures) {
    static final TableSize NONE = new TableSize(0, 0, 0, 0);
}
