package dev.nodepath.agent.routes;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.route.Forwarding;
import dev.nodepath.linux.route.Neighbour;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import dev.nodepath.linux.syscall.LinuxNetException;

/** One change to a node. */
sealed interface RouteStep {

    /** Makes it; what is to go and has gone already is fine. */
    void apply(NetworkNamespace namespace) throws LinuxNetException;

    /** Makes a neighbour known, or changes its hardware address. */
    record SetNeighbour(Neighbour neighbour) implements RouteStep {
        @Override
        public void apply(NetworkNamespace namespace) throws LinuxNetException {
            namespace.neighbourTables().setNeighbour(neighbour);
        }
    }

    /** Leads a hardware address to a node, or to another one than before. */
    record SetForwarding(Forwarding forwarding) implements RouteStep {
        @Override
        public void apply(NetworkNamespace namespace) throws LinuxNetException {
            namespace.neighbourTables().setForwarding(forwarding);
        }
    }

    /** Adds a route; one that somebody else has put there meanwhile stays, and this is refused. */
    record AddRoute(Route route, RouteOptions options) implements RouteStep {
        @Override
        public void apply(NetworkNamespace namespace) throws LinuxNetException {
            namespace.addRouteIfAbsent(route, options);
        }
    }

    /** Puts a route in the place of one of ours, without a moment between. */
    record ReplaceRoute(Route route, RouteOptions options) implements RouteStep {
        @Override
        public void apply(NetworkNamespace namespace) throws LinuxNetException {
            namespace.replaceRoute(route, options);
        }
    }

    /** Removes a route of ours and adds another one; if that is refused, the old one is put back. */
    record MoveRoute(DeleteRoute old, AddRoute added) implements RouteStep {
        /** The one that is added. */
        Route route() {
            return added.route();
        }

        @Override
        public void apply(NetworkNamespace namespace) throws LinuxNetException {
            old.apply(namespace);
            try {
                added.apply(namespace);
            } catch (LinuxNetException e) {
                restore(namespace, e);
                throw e;
            }
        }

        private void restore(NetworkNamespace namespace, LinuxNetException cause) {
            try {
                namespace.addRouteIfAbsent(old.route(), old.options());
            } catch (LinuxNetException e) {
                cause.addSuppressed(e);
            }
        }
    }

    /** Removes a route of ours. */
    record DeleteRoute(Route route, RouteOptions options) implements RouteStep {
        @Override
        public void apply(NetworkNamespace namespace) throws LinuxNetException {
            unlessMissing(() -> namespace.deleteRoute(route, options));
        }
    }

    /** Removes a forwarding entry. */
    record DeleteForwarding(Forwarding forwarding) implements RouteStep {
        @Override
        public void apply(NetworkNamespace namespace) throws LinuxNetException {
            unlessMissing(() -> namespace.neighbourTables().deleteForwarding(forwarding));
        }
    }

    /** Removes a neighbour. */
    record DeleteNeighbour(Neighbour neighbour) implements RouteStep {
        @Override
        public void apply(NetworkNamespace namespace) throws LinuxNetException {
            unlessMissing(() -> namespace.neighbourTables().deleteNeighbour(neighbour));
        }
    }

    private static void unlessMissing(Removal removal) throws LinuxNetException {
        try {
            removal.run();
        } catch (LinuxNetException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
    }

    /** A call that removes something. */
    interface Removal {
        /** Makes it. */
        void run() throws LinuxNetException;
    }
}
