package dev.nodepath.proxy.userspace.portals;

/** On which port of the relay a portal is served. */
@FunctionalInterface
public interface PortalPorts {
    /**
     * The port for those who come this way; all TCP portals of a family share one.
     *
     * @return 1 to 65535; 0 if it is not served, as there was no port for it
     */
    int of(Portal portal, ServiceEntry way);
}
