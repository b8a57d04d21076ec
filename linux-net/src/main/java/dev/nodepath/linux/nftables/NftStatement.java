package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.AddressRange;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import java.util.List;
import java.util.Optional;

/** A part of an nf_tables rule: a match, or an action on packets that pass the matches before it. */
public sealed interface NftStatement permits NftStatement.Simple, NftVerdict {

    /** All but verdicts. */
    sealed interface Simple extends NftStatement {}

    /**
     * Packets with an address of these networks, or with none if negated.
     *
     * @param field source or destination address
     * @param networks of one family, at least one, with host bits zero. The record sorts them and unites overlapping
     *     and touching ones, as {@code nft} does; single addresses alone stay as they are.
     * @param negated whether it matches all other packets. An {@code inet} or {@code bridge} table matches only
     *     packets of the IP version.
     */
    record AddressIn(NftField field, List<Cidr> networks, boolean negated) implements Simple {
        /** Unites the networks. */
        public AddressIn {
            networks = AddressRange.united(networks);
        }
    }

    /** Packets from an address of this network. */
    static NftStatement sourceIn(Cidr network) {
        return new AddressIn(NftField.SOURCE_ADDRESS, List.of(network), false);
    }

    /** Packets to an address of this network. */
    static NftStatement destinationIn(Cidr network) {
        return new AddressIn(NftField.DESTINATION_ADDRESS, List.of(network), false);
    }

    /** Packets to an address that is not of this network. */
    static NftStatement destinationNotIn(Cidr network) {
        return new AddressIn(NftField.DESTINATION_ADDRESS, List.of(network), true);
    }

    /**
     * Packets received through a link, or not received through it.
     *
     * @param name the link's name; with {@code *} at its end the prefix of names, at most 15 bytes
     */
    record InputInterface(String name, boolean negated) implements Simple {
        /** Packets received through the link. */
        public InputInterface(String name) {
            this(name, false);
        }
    }

    /** Frames from this hardware address. */
    record EtherSource(MacAddress mac) implements Simple {}

    /** Packets of a transport protocol (IANA, Protocol Numbers). */
    record Protocol(int number) implements Simple {
        /** Its name in {@code nft}; the number if it has no name here. */
        public String name() {
            return switch (number) {
                case 1 -> "icmp";
                case 6 -> "tcp";
                case 17 -> "udp";
                case 58 -> "ipv6-icmp";
                case 132 -> "sctp";
                default -> String.valueOf(number);
            };
        }
    }

    /** Packets of a transport protocol to this port: {@code tcp dport 80}. */
    record DestinationPort(int protocol, int port) implements Simple {}

    /** Packets of a transport protocol to a port from the first to the last one: {@code tcp dport 80-90}. */
    record DestinationPorts(int protocol, int first, int last) implements Simple {}

    /** Packets of TCP that do not ask for a connection: {@code tcp flags != syn / syn,ack}. */
    record NoTcpStart() implements Simple {}

    /** ICMPv6 messages of a type (RFC 4443), including those behind extension headers. */
    record Icmpv6Type(int type) implements Simple {
        /** A neighbour solicitation (RFC 4861 section 4.3). */
        public static final Icmpv6Type NEIGHBOUR_SOLICITATION = new Icmpv6Type(135);

        /** A neighbour advertisement (RFC 4861 section 4.4). */
        public static final Icmpv6Type NEIGHBOUR_ADVERTISEMENT = new Icmpv6Type(136);

        /** Its name in {@code nft}; the number if it has no name here. */
        public String name() {
            return switch (type) {
                case 135 -> "nd-neighbor-solicit";
                case 136 -> "nd-neighbor-advert";
                default -> String.valueOf(type);
            };
        }
    }

    /** Tells the listener of a group of the packet: {@code log group 44}. */
    record Log(int group) implements Simple {}

    /** The first packet of a connection: {@code ct state new}. */
    record NewConnection() implements Simple {}

    /** Later packets of a connection, and ICMP errors that belong to one: {@code ct state established,related}. */
    record KnownConnection() implements Simple {}

    /** Packets that connection tracking leaves alone, such as neighbour discovery: {@code ct state untracked}. */
    record Untracked() implements Simple {}

    /** Packets of a connection whose destination was translated: {@code ct status dnat}. */
    record DestinationTranslated() implements Simple {}

    /** Packets whose source or destination address is one of this host: {@code fib daddr type local}. */
    record AddressLocal(NftField field) implements Simple {}

    /** Packets to a broadcast address of a link of this host: {@code fib daddr type broadcast}. */
    record DestinationBroadcast() implements Simple {}

    /** Packets with all or some of these bits in their mark. */
    record MarkHas(int bits) implements Simple {}

    /** Sets these bits of the mark. */
    record MarkSet(int bits) implements Simple {}

    /** Turns these bits of the mark over. */
    record MarkToggle(int bits) implements Simple {}

    /**
     * Packets whose key is in a set of the table, or is not in it. A packet without one of the fields matches neither.
     * In a {@code bridge} table a key with addresses is only for frames of their protocol (IPv4, IPv6 or ARP) without a
     * VLAN tag.
     */
    record InSet(List<NftField> key, String set, boolean negated) implements Simple {
        public InSet {
            key = List.copyOf(key);
        }

        /** Packets whose key is in the set. */
        public InSet(List<NftField> key, String set) {
            this(key, set, false);
        }
    }

    /** The verdict that a map of the table holds for a packet's key; the next rule if it holds none. */
    record VerdictOf(List<NftField> key, String map) implements Simple {
        public VerdictOf {
            key = List.copyOf(key);
        }
    }

    /** One of these verdicts at random, each with equal probability: {@code numgen random mod N vmap}. */
    record RandomVerdict(List<NftVerdict> verdicts) implements Simple {
        public RandomVerdict {
            verdicts = List.copyOf(verdicts);
        }
    }

    /**
     * Where a connection goes to.
     *
     * @param port 1 to 65535
     */
    record Destination(IpAddress address, int port) {}

    /** Translates the destination. A match of the protocol must precede it, for the port. */
    record Dnat(Destination to) implements Simple {}

    /**
     * Translates the destination to one of these at random, each with equal probability. A match of the protocol must
     * precede it.
     */
    record RandomDnat(List<Destination> to) implements Simple {
        public RandomDnat {
            to = List.copyOf(to);
        }
    }

    /**
     * Translates the destination to a map's value for destination address, destination port and a random number below
     * {@code count}. A match of the protocol must precede it.
     *
     * @param protocol the name of the protocol in {@code nft}, such as {@code tcp}
     */
    record RandomDnatOf(String protocol, int count, String map) implements Simple {}

    /**
     * Translates the destination to a map's port for the packet's key; without one the next rule follows.
     *
     * @param address the new address; empty for the address of the packet's input link, or loopback for packets of
     *     this host
     * @param key with the transport protocol in it
     * @param map with ports as data
     */
    record PortOf(Optional<IpAddress> address, List<NftField> key, String map) implements Simple {
        public PortOf {
            key = List.copyOf(key);
        }
    }

    /**
     * Translates the source to a map's address for the packet's priority, which its socket sets ({@code SO_PRIORITY});
     * without one the next rule follows. It is for a table of one IP version.
     */
    record SourceByPriority(String map) implements Simple {}

    /** Adds the packet's source address to a set, or renews its timeout there. */
    record Remember(String set) implements Simple {}

    /** Sets the source address of packets to that of their output link, with a random source port if so chosen. */
    record Masquerade(boolean fullyRandom) implements Simple {
        /** Keeps the source port if it is free. */
        public Masquerade() {
            this(false);
        }
    }

    /** Answers with ICMP "port unreachable". */
    record Reject() implements Simple {}

    /** Has the kernel tell each step of the packet from here on: {@code meta nftrace set 1}. */
    record TraceOn() implements Simple {}

    /** Counts the packets that reach it. The count is no part of the statement. */
    record Counter() implements Simple {}

    /**
     * A statement of another program that this package does not know. {@link NftTables#read} makes it, none writes it.
     */
    record Unknown(String expressions) implements Simple {}
}
