package dev.nodepath.cni;

import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.link.AddressOptions;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The addresses on the node's side that containers use as their next hops. */
final class Gateway {
    private static final Cidr LINK_LOCAL_IPV6 = Cidr.parse("fe80::/10");

    /** Marks gateway addresses of this plugin ({@code IFA_PROTO}), so that outdated ones can be recognised. */
    private static final int PROTOCOL = 110;

    /** Precedes the list of this plugin's addresses in the link's alias, on kernels without the mark (before 5.18). */
    private static final String ALIAS = "nodepath-gateway ";

    /** The longest alias that the kernel takes, in bytes. */
    private static final int ALIAS_BYTES_MAX = 255;

    private final NetworkNamespace host;
    private final Link bridge;
    private final Link carrier;
    private final int portIndex;

    /**
     * The gateway of a bridge.
     *
     * @param carrier the link with the addresses: the bridge, or its end in a VLAN
     * @param portIndex the port of the container that is being added
     */
    Gateway(NetworkNamespace host, Link bridge, Link carrier, int portIndex) {
        this.host = host;
        this.bridge = bridge;
        this.carrier = carrier;
        this.portIndex = portIndex;
    }

    /**
     * Makes sure that the link has these addresses. An address that exists already never conflicts with others.
     *
     * @param force whether missing addresses replace conflicting ones
     * @throws CniException if another address conflicts with a missing one
     */
    void ensure(Set<Cidr> wanted, boolean force) throws CniException, LinuxNetException {
        List<InterfaceAddress> present = host.addresses(carrier.index());
        Set<Cidr> missing = new LinkedHashSet<>(wanted);
        present.forEach(has -> missing.remove(has.address()));
        for (InterfaceAddress has : present) {
            if (!wanted.contains(has.address())) {
                makeRoom(has, wanted, missing, force);
            }
        }
        for (Cidr address : missing) {
            add(address);
        }
        if (!missing.isEmpty()) {
            list(missing);
        }
    }

    /** Lists new addresses in the alias if the kernel has not kept their mark. It keeps an alias set by others. */
    private void list(Set<Cidr> added) throws LinuxNetException {
        Set<String> listed = new LinkedHashSet<>();
        for (InterfaceAddress has : host.addresses(carrier.index())) {
            if (has.protocol() == 0 && (added.contains(has.address()) || isListed(carrier, has.address()))) {
                listed.add(has.address().toString());
            }
        }
        boolean madeHere = NodeBridge.isMadeHere(carrier);
        String alias = (madeHere ? NodeBridge.ALIAS + " " : "") + ALIAS + String.join(" ", listed);
        boolean free = madeHere || carrier.alias().isEmpty() || carrier.alias().startsWith(ALIAS);
        if (!listed.isEmpty() && free && alias.length() <= ALIAS_BYTES_MAX) {
            host.setAlias(carrier.index(), alias);
        }
    }

    /** Whether this plugin added an address. */
    static boolean isMadeHere(Link carrier, InterfaceAddress has) {
        return has.protocol() == PROTOCOL || (has.protocol() == 0 && isListed(carrier, has.address()));
    }

    private static boolean isListed(Link carrier, Cidr address) {
        int start = carrier.alias().indexOf(ALIAS);
        return start >= 0
                && List.of(carrier.alias().substring(start + ALIAS.length()).split(" ", -1))
                        .contains(address.toString());
    }

    private void makeRoom(InterfaceAddress has, Set<Cidr> wanted, Set<Cidr> missing, boolean force)
            throws CniException, LinuxNetException {
        for (Cidr address : wanted) {
            if (!clashes(has.address(), address)) {
                continue;
            }
            boolean inTheWay = missing.contains(address);
            if ((inTheWay && force) || isOutdated(has, address, inTheWay)) {
                delete(has.address());
                return;
            }
        }
    }

    private void add(Cidr address) throws LinuxNetException {
        try {
            host.addAddress(carrier.index(), address, new AddressOptions(false, PROTOCOL));
        } catch (LinuxNetException e) {
            if (!e.isExists()) {
                throw e;
            }
        }
        if (bridge.index() == carrier.index() && bridge.mac().isPresent()) {
            // The MAC of a bridge made by others may follow its ports. Setting the same MAC fixes it.
            host.setMac(
                    bridge.index(),
                    host.link(bridge.index())
                            .flatMap(Link::mac)
                            .orElse(bridge.mac().get()));
        }
    }

    /**
     * Whether two addresses exclude each other. As in upstream, a link has one IPv4 address, and IPv6 addresses of
     * disjoint networks.
     */
    private static boolean clashes(Cidr has, Cidr wanted) {
        boolean alone =
                wanted.family() == IpFamily.IPV4 || (!LINK_LOCAL_IPV6.contains(has.address()) && has.overlaps(wanted));
        return alone && has.family() == wanted.family();
    }

    /**
     * Whether an address is from an older configuration and no container uses it. An address that may be in use stays
     * if its network does not overlap the new one.
     */
    private boolean isOutdated(InterfaceAddress has, Cidr wanted, boolean inTheWay)
            throws CniException, LinuxNetException {
        boolean ours = isMadeHere(carrier, has);
        boolean used = ours && hasOtherPorts(host.links());
        if (inTheWay && (!ours || (used && has.address().overlaps(wanted)))) {
            throw new CniException(
                    ErrorCode.INTERNAL,
                    "\"" + carrier.name() + "\" already has an IP address different from " + wanted,
                    "it has " + has.address());
        }
        return ours && !used;
    }

    private boolean hasOtherPorts(List<Link> links) {
        for (Link link : links) {
            if (link.masterIndex() == bridge.index()
                    && link.index() != portIndex
                    && link.index() != carrier.peerIndex()) {
                return true;
            }
        }
        return false;
    }

    private void delete(Cidr address) throws LinuxNetException {
        try {
            host.deleteAddress(carrier.index(), address);
        } catch (LinuxNetException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
    }
}
