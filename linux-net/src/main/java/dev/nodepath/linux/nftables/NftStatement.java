package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.MacAddress;

/** A part of a rule of nf_tables: a match, or what happens to packets that all matches before it let through. */
public sealed interface NftStatement {

    /** Packets from an address of this network. */
    record SourceIn(Cidr network) implements NftStatement {}

    /** Packets to an address of this network. */
    record DestinationIn(Cidr network) implements NftStatement {}

    /** Packets to an address that is not of this network. */
    record DestinationNotIn(Cidr network) implements NftStatement {}

    /** Packets that came in through the link of this name. */
    record InputInterface(String name) implements NftStatement {}

    /** Frames from this hardware address. */
    record EtherSource(MacAddress mac) implements NftStatement {}

    /** Gives packets the source address of the link that they leave through. */
    record Masquerade() implements NftStatement {}

    /** Goes through another chain and comes back. */
    record Jump(String chain) implements NftStatement {}

    /** Goes back to the chain that led here. */
    record Return() implements NftStatement {}

    /** Ends the packet's way. */
    record Drop() implements NftStatement {}
}
