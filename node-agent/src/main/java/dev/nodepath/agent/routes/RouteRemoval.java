package dev.nodepath.agent.routes;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Removes the leftovers of {@link PodRoutes} from a node: the routes with their protocol number, the overlay and the
 * masquerading.
 */
public final class RouteRemoval {
    private RouteRemoval() {}

    /**
     * Removes all routes, links and rules of the agent. Missing parts are no error. After a failure it continues with
     * the rest.
     *
     * @return the kernel's errors
     */
    public static List<String> removeAll(NetworkNamespace namespace) {
        List<String> errors = new ArrayList<>();
        RouteSync.attempt(errors, () -> removeRoutes(namespace, errors));
        RouteSync.attempt(errors, new OverlayLink(namespace)::remove);
        RouteSync.attempt(errors, new PodMasquerade(namespace)::removeTable);
        return errors;
    }

    private static void removeRoutes(NetworkNamespace namespace, List<String> errors) throws LinuxNetException {
        for (RouteStep step : RouteSteps.from(InstalledRoutes.read(namespace, Optional.empty()), List.of())) {
            RouteSync.attempt(errors, () -> step.apply(namespace));
        }
    }
}
