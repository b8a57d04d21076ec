package dev.nodepath.endpoints.trace;

import java.util.List;

/** The effect of a rule on a matching packet. */
public sealed interface Effect {
    /** The effect for people, in one sentence or two. */
    String sentence();

    /** An effect without parameters. */
    enum Plain implements Effect {
        /** It sets the mark for a later rule, which replaces the source. */
        MARKS("The packet gets a mark: its source will be replaced."),
        UNMARKS("The mark has served and is taken off."),
        DROPS("The packet is dropped: its sender gets no answer."),
        ACCEPTS("The packet may pass."),
        RETURNS("The rest of this chain is not for the packet."),
        /** It lets a packet without the mark return. */
        SPARES("The packet has no mark, so it keeps its source."),
        COUNTS("The rule counts the packet, and changes nothing."),
        /** Later connections of the sender find the entry. */
        REMEMBERS("The rule remembers the sender, and changes nothing."),
        NOTHING("The rule matches, and changes nothing.");

        private final String sentence;

        Plain(String sentence) {
            this.sentence = sentence;
        }

        @Override
        public String sentence() {
            return sentence;
        }
    }

    /**
     * It rewrites the destination.
     *
     * @param endpoints address and port of each; a random number chooses one of several
     */
    record NewDestination(List<String> endpoints) implements Effect {
        public NewDestination {
            endpoints = List.copyOf(endpoints);
        }

        @Override
        public String sentence() {
            return endpoints.size() == 1
                    ? "The destination becomes " + endpoints.get(0) + "."
                    : "A random number below " + endpoints.size()
                            + " chooses the endpoint that becomes the destination.";
        }
    }

    /**
     * It rewrites the source to an address of this node.
     *
     * @param unmarks whether it is for packets with the mark, and removes the mark
     */
    record NewSource(boolean unmarks) implements Effect {
        @Override
        public String sentence() {
            return (unmarks ? "The packet has the mark, which is taken off. " : "")
                    + "The source becomes an address of this node.";
        }
    }

    /**
     * It refuses the packet with an answer.
     *
     * @param reason empty if the rule has none
     */
    record Refuses(String reason) implements Effect {
        @Override
        public String sentence() {
            return "The packet is refused: " + (reason.isEmpty() ? "its sender gets an error at once" : reason) + ".";
        }
    }

    /**
     * It continues in another chain.
     *
     * @param why a clause; empty if the rule has no reason
     */
    record Jumps(String chain, String why) implements Effect {
        @Override
        public String sentence() {
            return (why.isEmpty() ? "The chain " : why + ": the chain ") + chain + " is next.";
        }
    }

    /** It continues in one of so many chains, by a random number. */
    record JumpsToOneOf(int chains) implements Effect {
        @Override
        public String sentence() {
            return "A random number below " + chains + " chooses the chain that is next.";
        }
    }

    /**
     * It continues in the chain of an endpoint.
     *
     * @param endpoint its address and port
     * @param oneOf takes one of so many packets; 1 if it takes all
     */
    record Chooses(String endpoint, long oneOf) implements Effect {
        @Override
        public String sentence() {
            return (oneOf == 1 ? "What is left takes" : "One of " + oneOf + " packets that come here takes")
                    + " the endpoint " + endpoint + ".";
        }
    }
}
