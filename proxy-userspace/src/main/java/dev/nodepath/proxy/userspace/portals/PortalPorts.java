package dev.nodepath.proxy.userspace.portals;

/** The ports of the relay, by portal. */
@FunctionalInterface
public interface PortalPorts {
    /**
     * The relay's port for clients of this entry. All TCP portals of a family share one port.
     *
     * @return 1 to 65535; 0 if the portal is not served, because no port was free
     */
    int of(Portal portal, ServiceEntry entry);
}
