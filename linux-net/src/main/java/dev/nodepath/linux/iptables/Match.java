package dev.nodepath.linux.iptables;

import dev.nodepath.linux.address.Cidr;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** A condition of a rule ({@code iptables-extensions(8)}). */
public sealed interface Match {

    /** Adds its words on the command line. */
    void appendTo(StringBuilder text);

    /** A comment of at most 256 characters, without double quotes, backslashes and control characters. Always true. */
    record Comment(String text) implements Match {
        private static final int MAX_CHARS = 256;

        /** Checks the text, because a quote or a line end in it could inject a rule. */
        public Comment {
            if (text.length() > MAX_CHARS || !isClean(text)) {
                throw new IllegalArgumentException("comment: \"" + text + "\" (expected: at most " + MAX_CHARS
                        + " characters, no quotes, backslashes or control characters)");
            }
        }

        private static boolean isClean(String text) {
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c == '"' || c == '\\' || Character.isISOControl(c)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public void appendTo(StringBuilder text) {
            text.append("-m comment --comment \"").append(this.text).append('"');
        }
    }

    /** A transport protocol, lower case. */
    record Protocol(String name) implements Match {
        @Override
        public void appendTo(StringBuilder text) {
            text.append("-p ").append(name).append(" -m ").append(name);
        }
    }

    /** The source address. */
    record Source(Cidr network, boolean negated) implements Match {
        @Override
        public void appendTo(StringBuilder text) {
            appendShortest(network, text.append(not(negated)).append("-s "));
        }
    }

    /** The destination address. */
    record Destination(Cidr network, boolean negated) implements Match {
        @Override
        public void appendTo(StringBuilder text) {
            appendShortest(network, text.append(not(negated)).append("-d "));
        }
    }

    /** The destination port; needs a {@link Protocol} before it. */
    record DestinationPort(int port) implements Match {
        @Override
        public void appendTo(StringBuilder text) {
            text.append("--dport ").append(port);
        }
    }

    /** Whether the destination is an address of this host. */
    record DestinationLocal() implements Match {
        @Override
        public void appendTo(StringBuilder text) {
            text.append("-m addrtype --dst-type LOCAL");
        }
    }

    /** Whether the source is an address of this host. */
    record SourceLocal() implements Match {
        @Override
        public void appendTo(StringBuilder text) {
            text.append("-m addrtype --src-type LOCAL");
        }
    }

    /** The link that received the packet. A name that ends in {@code +} matches all names with this prefix. */
    record InputInterface(String name, boolean negated) implements Match {
        /** The kernel's limit ({@code IFNAMSIZ} without the end of the string). */
        private static final int MAX_CHARS = 15;

        /** Checks the name, because white space would begin another option. */
        public InputInterface {
            if (name.isEmpty()
                    || name.length() > MAX_CHARS
                    || name.chars()
                            .anyMatch(c ->
                                    c == '/' || c == '"' || Character.isWhitespace(c) || Character.isISOControl(c))) {
                throw new IllegalArgumentException("interface: \"" + name + "\" (expected: 1 to " + MAX_CHARS
                        + " characters, no slashes, quotes or white space)");
            }
        }

        @Override
        public void appendTo(StringBuilder text) {
            text.append(not(negated)).append("-i ").append(name);
        }
    }

    /**
     * Whether the source was added to a list of recent sources within this time. Older entries are removed ({@code
     * xt_recent}).
     */
    record RecentlySeen(String list, int seconds) implements Match {
        @Override
        public void appendTo(StringBuilder text) {
            text.append("-m recent --name ").append(list);
            text.append(" --rcheck --seconds ").append(seconds).append(" --reap");
        }
    }

    /** Adds the source to a list of recent sources. Always true. */
    record RememberSource(String list) implements Match {
        @Override
        public void appendTo(StringBuilder text) {
            text.append("-m recent --name ").append(list).append(" --set");
        }
    }

    /** Whether the packet's connection has one of these states, or none of them if negated. */
    record ConnectionState(List<State> states, boolean negated) implements Match {
        /** A state of conntrack. */
        public enum State {
            NEW,
            ESTABLISHED,
            RELATED,
            INVALID,
            DNAT
        }

        public ConnectionState {
            states = List.copyOf(states);
        }

        @Override
        public void appendTo(StringBuilder text) {
            text.append("-m conntrack ").append(not(negated)).append("--ctstate ");
            text.append(String.join(",", states.stream().map(State::name).toList()));
        }
    }

    /** Whether the packet's mark has these bits set. */
    record Mark(int bits, boolean negated) implements Match {
        @Override
        public void appendTo(StringBuilder text) {
            text.append("-m mark ").append(not(negated)).append("--mark ");
            text.append(hex(bits)).append('/').append(hex(bits));
        }
    }

    /** True with this probability, written with ten decimals as kube-proxy writes it. */
    record Probability(String probability) implements Match {
        private static final long ONE = 10_000_000_000L;

        /**
         * Values up to this number are shared: few Services have more endpoints, and a third of all rules choose an
         * endpoint.
         */
        private static final int SHARED_MAX = 100;

        private static final List<Probability> SHARED =
                IntStream.rangeClosed(1, SHARED_MAX).mapToObj(Probability::made).toList();

        /** One of {@code n} equally likely choices; a tie goes to the even digit, as in Go. */
        public static Probability oneOf(int n) {
            return n <= SHARED_MAX ? SHARED.get(n - 1) : made(n);
        }

        private static Probability made(int n) {
            long digits = ONE / n;
            long rest = ONE % n;
            if (2 * rest > n || (2 * rest == n && digits % 2 == 1)) {
                digits++;
            }
            // With the digit for ONE in front no leading zero is lost.
            String padded = Long.toString(ONE + digits);
            return new Probability((n == 1 ? "1." : "0.") + padded.substring(1));
        }

        @Override
        public void appendTo(StringBuilder text) {
            text.append("-m statistic --mode random --probability ").append(probability);
        }
    }

    /**
     * Counts the packet in a counter that must be there, see {@link dev.nodepath.linux.conntrack.PacketCounters}. Always
     * true.
     */
    record Counted(String counter) implements Match {
        @Override
        public void appendTo(StringBuilder text) {
            text.append("-m nfacct --nfacct-name ").append(counter);
        }
    }

    /** A condition in the words of the command line. They are not checked. */
    record Words(String words) implements Match {
        @Override
        public void appendTo(StringBuilder text) {
            text.append(words);
        }
    }

    private static String not(boolean negated) {
        return negated ? "! " : "";
    }

    private static void appendShortest(Cidr network, StringBuilder text) {
        if (network.prefixLength() == network.family().bits()) {
            network.address().appendTo(text);
        } else {
            network.appendTo(text);
        }
    }

    /** A mark as kube-proxy prints it: {@code 0x} and at least eight digits. */
    static String hex(int bits) {
        return String.format(Locale.ROOT, "0x%08x", bits);
    }
}
