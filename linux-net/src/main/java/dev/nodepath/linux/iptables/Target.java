package dev.nodepath.linux.iptables;

import dev.nodepath.linux.IpAddress;

/** What a rule does with a packet that matches; its {@code toString} is its text on the command line. */
public sealed interface Target {

    /** Goes on in a chain of ours, and comes back if that reaches no verdict. */
    record Jump(String chain) implements Target {
        @Override
        public String toString() {
            return "-j " + chain;
        }
    }

    /** A verdict without parameters. */
    enum Verdict implements Target {
        ACCEPT,
        DROP,
        REJECT,
        RETURN;

        @Override
        public String toString() {
            return "-j " + name();
        }
    }

    /** Nothing: the rule counts packets, or is a remark, and the next rule follows. */
    record Nothing() implements Target {
        @Override
        public String toString() {
            return "";
        }
    }

    /** Translates the destination of the connection. */
    record Dnat(IpAddress address, int port) implements Target {
        @Override
        public String toString() {
            return "-j DNAT --to-destination " + address.withPort(port);
        }
    }

    /** Translates the destination to this host, at this port. */
    record Redirect(int port) implements Target {
        @Override
        public String toString() {
            return "-j REDIRECT --to-ports " + port;
        }
    }

    /** Sets the bits of a mark. */
    record SetMark(int bits) implements Target {
        @Override
        public String toString() {
            return "-j MARK --or-mark " + Match.hex(bits);
        }
    }

    /** Flips the bits of a mark. */
    record FlipMark(int bits) implements Target {
        @Override
        public String toString() {
            return "-j MARK --xor-mark " + Match.hex(bits);
        }
    }

    /** Translates the source to the address of the link that the packet leaves through. */
    record Masquerade(boolean randomFully) implements Target {
        @Override
        public String toString() {
            return randomFully ? "-j MASQUERADE --random-fully" : "-j MASQUERADE";
        }
    }
}
