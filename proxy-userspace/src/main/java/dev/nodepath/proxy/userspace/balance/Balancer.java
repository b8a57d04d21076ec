package dev.nodepath.proxy.userspace.balance;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** How the connections of a service port are shared out among its endpoints. */
public enum Balancer {
    /** One after the other. */
    ROUND_ROBIN {
        @Override
        public RelayEndpoint pick(List<RelayEndpoint> among, int turn) {
            return among.get(Integer.remainderUnsigned(turn, among.size()));
        }
    },
    /** The one with the fewest connections, open or under way; among equals in turn. */
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
    /** Any of them. */
    RANDOM {
        @Override
        public RelayEndpoint pick(List<RelayEndpoint> among, int turn) {
            return among.get(ThreadLocalRandom.current().nextInt(among.size()));
        }
    };

    /**
     * The endpoint for a new connection.
     *
     * @param among at least one
     * @param turn a number that grows with every try
     */
    public abstract RelayEndpoint pick(List<RelayEndpoint> among, int turn);
}
