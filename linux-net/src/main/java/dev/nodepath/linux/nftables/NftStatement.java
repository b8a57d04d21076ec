package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.MacAddress;

/** A part of an nf_tables rule: a match, or an action on packets that pass the matches before it. */
public sealed interface NftStatement {

    /** Packets from an address of this network. */
    record SourceIn(Cidr network) implements NftStatement {}

    /** Packets to an address of this network. */
    record DestinationIn(Cidr network) implements NftStatement {}

    /** Packets to an address that is not of this network. */
    record DestinationNotIn(Cidr network) implements NftStatement {}

    /** Packets received through the link of this name. */
    record InputInterface(String name) implements NftStatement {}

    /** Frames from this hardware address. */
    record EtherSource(MacAddress mac) implements NftStatement {}

    /** Sets the source address of packets to that of their output link. */
    record Masquerade() implements NftStatement {}

    /** Jumps to another chain. */
    record Jump(String chain) implements NftStatement {}

    /** Returns to the calling chain. */
    record Return() implements NftStatement {}

    /** Drops the packet. */
    record Drop() implements NftStatement {}
}
