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

        /** The addresses of an answer to it. */
        Packet back() {
            return new Packet(
                    /* source= */ destination,
                    /* sourcePort= */ port,
                    /* destination= */ source,
                    /* port= */ sourcePort);
        }

        /** The source: address and port. */
        String origin() {
            return source.withPort(sourcePort);
        }

        /** The destination: address and port. */
        String target() {
            return destination.withPort(port);
        }

        @Override
        public String toString() {
            return origin() + " \u2192 " + target();
        }
    }

    /** The packet as it came to the node. */
    Packet sent() {
        return Packet.of(flow.original());
    }

    /** The packet as it left the node: the reverse of its answers. */
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
