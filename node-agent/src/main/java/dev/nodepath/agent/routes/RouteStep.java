package dev.nodepath.agent.routes;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.route.Forwarding;
import dev.nodepath.linux.route.Neighbour;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import dev.nodepath.linux.syscall.LinuxNetException;

/** One change to a node. */
sealed interface RouteStep {

    /** Applies it; removing something that is missing is no error. */
    void apply(NetworkNamespace namespace) throws LinuxNetException;

    /** Makes a neighbour known, or changes its hardware address. */
    record SetNeighbour(Neighbour neighbour) implements RouteStep {
        @Override
        public void apply(NetworkNamespace namespace) throws LinuxNetException {
            namespace.neighbourTables().setNeighbour(neighbour);
        }
    }

    /** Adds or replaces the forwarding entry of a hardware address. */
    record SetForwarding(Forwarding forwarding) implements RouteStep {
        @Override
        public void apply(NetworkNamespace namespace) throws LinuxNetException {
            namespace.neighbourTables().setForwarding(forwarding);
        }
    }

    /** Adds a route; it is refused if another program has added one meanwhile. */
    record AddRoute(Route route, RouteOptions options) implements RouteStep {
        @Override
        public void apply(NetworkNamespace namespace) throws LinuxNetException {
            namespace.addRouteIfAbsent(route, options);
        }
    }

    /** Replaces one of our routes atomically. */
    record ReplaceRoute(Route route, RouteOptions options) implements RouteStep {
        @Override
        public void apply(NetworkNamespace namespace) throws LinuxNetException {
            namespace.replaceRoute(route, options);
        }
    }

    /** Removes a route of ours and adds another one; if that is refused, the old one is put back. */
    record MoveRoute(DeleteRoute old, AddRoute added) implements RouteStep {
        /** The added route. */
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
        void run() throws LinuxNetException;
    }
}
