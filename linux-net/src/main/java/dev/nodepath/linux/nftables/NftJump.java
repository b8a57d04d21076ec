package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.IpAddress;
import java.util.Optional;

/**
 * A listed nf_tables rule that jumps to another chain.
 *
 * @param handle its number in its table, needed to delete it
 * @param target the chain that it jumps to
 * @param comment its own comment, or the comment of an iptables match; empty if it has none
 * @param source the only source address that it matches; empty if there are more
 */
public record NftJump(long handle, String target, String comment, Optional<IpAddress> source) {}
