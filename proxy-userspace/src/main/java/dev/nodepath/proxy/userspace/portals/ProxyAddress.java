package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.iptables.Target;
import java.util.Optional;

/**
 * The addresses of the relay, as targets of the portal rules of one family.
 *
 * @param bound the only address that it listens on; empty if it listens on all
 * @param node the node's own address; empty if it is not known
 */
public record ProxyAddress(Optional<IpAddress> bound, Optional<IpAddress> node) {

    /**
     * The target for packets that come in over a link. A redirect keeps the link's own address in replies, so a bridge
     * can match them.
     */
    Target fromLinks(int port) {
        return bound.<Target>map(address -> new Target.Dnat(address, port)).orElseGet(() -> new Target.Redirect(port));
    }

    /**
     * The target for packets of this host. A redirect would use 127.0.0.1, and a client that is bound to a link could
     * not match the replies. So the target is the node's address, as in kube-proxy.
     */
    Target fromHost(int port) {
        return bound.or(() -> node)
                .<Target>map(address -> new Target.Dnat(address, port))
                .orElseGet(() -> new Target.Redirect(port));
    }
}
