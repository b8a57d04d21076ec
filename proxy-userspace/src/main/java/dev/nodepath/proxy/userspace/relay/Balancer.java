package dev.nodepath.proxy.userspace.relay;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/** How a service port distributes connections over its endpoints. */
public enum Balancer {
    /** One after the other, in turn. */
    ROUND_ROBIN {
        @Override
        public RelayEndpoint pick(List<RelayEndpoint> among, int turn) {
            return among.get(Integer.remainderUnsigned(turn, among.size()));
        }
    },
    /** The endpoint with the fewest connections, open or dialling; among equals in turn. */
    LEAST_CONNECTIONS {
        @Override
        public RelayEndpoint pick(List<RelayEndpoint> among, int turn) {
            int first = Integer.remainderUnsigned(turn, among.size());
            RelayEndpoint least = among.get(first);
            for (int i = 1; i < among.size(); i++) {
                RelayEndpoint next = among.get((first + i) % among.size());
                if (next.load() < least.load()) {
                    least = next;
                }
            }
            return least;
        }
    },
    /** A random endpoint. */
    RANDOM {
        @Override
        public RelayEndpoint pick(List<RelayEndpoint> among, int turn) {
            return among.get(ThreadLocalRandom.current().nextInt(among.size()));
        }
    };

    /**
     * The endpoint for a new connection.
     *
     * @param among the candidates, at least one
     * @param turn a number that grows with every try
     */
    public abstract RelayEndpoint pick(List<RelayEndpoint> among, int turn);

    /** The name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
