package dev.nodepath.emulator.page;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.conntrack.ConntrackFlow.Tuple;

/** An entry of a node's connection tracking. */
record NodeFlow(String node, ConntrackFlow flow) {

    /** The addresses and ports of a packet. */
    record Packet(IpAddress source, int sourcePort, IpAddress destination, int port) {
        static Packet of(Tuple tuple) {
            return new Packet(tuple.source(), tuple.sourcePort(), tuple.destination(), tuple.destinationPort());
        }

        /** An answer to it. */
        Packet back() {
            return new Packet(
                    /* source= */ destination,
                    /* sourcePort= */ port,
                    /* destination= */ source,
                    /* port= */ sourcePort);
        }

        /** Where it comes from: address and port. */
        String origin() {
            return source.withPort(sourcePort);
        }

        /** Where it goes to: address and port. */
        String target() {
            return destination.withPort(port);
        }

        @Override
        public String toString() {
            return origin() + " \u2192 " + target();
        }
    }

    /** What came to the node first. */
    Packet sent() {
        return Packet.of(flow.original());
    }

    /** What it went on as: what answers come back to and from. */
    Packet became() {
        Tuple reply = flow.reply();
        return new Packet(
                /* source= */ reply.destination(),
                /* sourcePort= */ reply.destinationPort(),
                /* destination= */ reply.source(),
                /* port= */ reply.sourcePort());
    }

    /** Whether the node has changed an address or a port. */
    boolean isTranslated() {
        return !sent().equals(became());
    }
}
