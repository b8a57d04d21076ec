package dev.nodepath.cni;

import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.linux.Link;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import dev.nodepath.linux.PortVlan;
import dev.nodepath.linux.VethSpec;
import java.util.Optional;

/** The node's own end in one VLAN of a bridge: a veth pair whose far end is an access port of that VLAN, as upstream has it. */
final class VlanGateway {
    private static final int VLAN_DEFAULT = 1;

    private final NetworkNamespace host;

    VlanGateway(NetworkNamespace host) {
        this.host = host;
    }

    /** The near end, named {@code BRIDGE.VLAN}, up and connected; made if it is missing, mended if it is half made. */
    Link prepare(Link bridge, NetworkConfig.VlanConfig vlans) throws CniException, LinuxNetException {
        String name = bridge.name() + "." + vlans.access();
        Link near = findOrCreate(name, bridge);
        Optional<Link> far = host.link(near.peerIndex());
        if (!near.kind().equals("veth") || far.isEmpty()) {
            throw new CniException(
                    ErrorCode.INVALID_CONFIG,
                    "vlan: \"" + name + "\" already exists but is no end of a veth pair on this node",
                    "it is of kind \"" + near.kind() + "\"");
        }
        if (far.get().masterIndex() != bridge.index()) {
            NodeSettings.own(host, far.get().name());
            host.setMaster(far.get().index(), bridge.index());
        }
        setVlans(host, far.get(), vlans.access(), vlans.keepDefault());
        if (!far.get().up()) {
            host.setUp(far.get().index(), true);
        }
        if (!near.up()) {
            NodeSettings.own(host, near.name());
            host.setUp(near.index(), true);
        }
        return near;
    }

    /** Makes a port an access port of a VLAN. */
    static void setVlans(NetworkNamespace host, Link port, int access, boolean keepDefault) throws LinuxNetException {
        host.addVlan(port.index(), PortVlan.access(access));
        if (!keepDefault && access != VLAN_DEFAULT) {
            host.deleteVlan(port.index(), VLAN_DEFAULT);
        }
    }

    private Link findOrCreate(String name, Link bridge) throws LinuxNetException {
        Optional<Link> found = host.link(name);
        if (found.isPresent()) {
            return found.get();
        }
        String farName = new LinkIdentity(name, new Attachment("", "")).hostName(0);
        try {
            return host.createVeth(new VethSpec(name, Optional.empty(), farName, host, Optional.of(bridge.mtu())));
        } catch (LinuxNetException e) {
            found = e.isExists() ? host.link(name) : Optional.empty();
            if (found.isEmpty()) {
                throw e;
            }
            return found.get();
        }
    }
}
