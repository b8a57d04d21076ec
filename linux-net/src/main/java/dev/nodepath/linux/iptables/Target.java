package dev.nodepath.linux.iptables;

import dev.nodepath.linux.address.IpAddress;

/** The action of a rule on a matching packet. */
public sealed interface Target {

    /** Adds its words on the command line; {@link Nothing} has none. */
    void appendTo(StringBuilder text);

    /** Jumps to a chain, and returns from it without a verdict. */
    record Jump(String chain) implements Target {
        @Override
        public void appendTo(StringBuilder text) {
            text.append("-j ").append(chain);
        }
    }

    /** A verdict without parameters. */
    enum Verdict implements Target {
        ACCEPT,
        DROP,
        REJECT,
        RETURN;

        @Override
        public void appendTo(StringBuilder text) {
            text.append("-j ").append(name());
        }
    }

    /** No target: the rule only counts packets or holds a comment. The next rule follows. */
    record Nothing() implements Target {
        @Override
        public void appendTo(StringBuilder text) {}
    }

    /** Translates the destination of the connection. */
    record Dnat(IpAddress address, int port) implements Target {
        @Override
        public void appendTo(StringBuilder text) {
            address.appendTo(text.append("-j DNAT --to-destination "), port);
        }
    }

    /** Sets the bits of a mark. */
    record SetMark(int bits) implements Target {
        @Override
        public void appendTo(StringBuilder text) {
            text.append("-j MARK --or-mark ").append(Match.hex(bits));
        }
    }

    /** Flips the bits of a mark. */
    record FlipMark(int bits) implements Target {
        @Override
        public void appendTo(StringBuilder text) {
            text.append("-j MARK --xor-mark ").append(Match.hex(bits));
        }
    }

    /** Translates the source to the address of the link that the packet leaves through. */
    record Masquerade(boolean randomFully) implements Target {
        @Override
        public void appendTo(StringBuilder text) {
            text.append(randomFully ? "-j MASQUERADE --random-fully" : "-j MASQUERADE");
        }
    }
}
