package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.iptables.rule.Target;
import java.util.Optional;

/**
 * Where the relay listens, as portal rules of one family lead to it.
 *
 * @param bound the one address it listens on; empty if it listens on all
 * @param node the node's own address; empty if it is not known
 */
public record ProxyAddress(Optional<IpAddress> bound, Optional<IpAddress> node) {

    /**
     * For what comes in over a link. A redirect keeps the reply on the link's own address, so a bridge can match it.
     */
    Target fromLinks(int port) {
        return bound.<Target>map(address -> new Target.Dnat(address, port)).orElseGet(() -> new Target.Redirect(port));
    }

    /**
     * For what this host sends itself. A redirect would lead to 127.0.0.1, whose replies do not match the address
     * that a client bound to a link expects; so the node's address stands in, as in kube-proxy.
     */
    Target fromHost(int port) {
        return bound.or(() -> node)
                .<Target>map(address -> new Target.Dnat(address, port))
                .orElseGet(() -> new Target.Redirect(port));
    }
}
