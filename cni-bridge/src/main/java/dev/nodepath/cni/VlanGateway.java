package dev.nodepath.cni;

import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.config.NetworkConfig;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.Optional;

/**
 * The node's own end in one VLAN of a bridge: an existing VLAN link on the bridge, or a veth pair whose far end is an
 * access port of that VLAN, as in upstream.
 */
final class VlanGateway {
    private static final String VLAN = "vlan";
    private static final String VETH = "veth";

    private final NetworkNamespace host;

    /** Gateways in the node's namespace. */
    VlanGateway(NetworkNamespace host) {
        this.host = host;
    }

    /** The name of the node's end, {@code BRIDGE.VLAN}. */
    static String name(Link bridge, int vlan) {
        return bridge.name() + "." + vlan;
    }

    /**
     * Returns the near end, named {@code BRIDGE.VLAN}, up and connected. It creates a missing pair and completes a
     * partial one.
     */
    Link prepare(Link bridge, NetworkConfig.VlanConfig vlans) throws CniException, LinuxNetException {
        Link near = findOrCreate(name(bridge, vlans.access()), bridge);
        if (near.kind().equals(VLAN) && near.peerIndex() == bridge.index()) {
            joinVlan(bridge, vlans.access());
        } else {
            plugIn(farEnd(near, bridge), bridge, vlans);
        }
        if (near.up()) {
            NodeSettings.refuseRouters(host, near.name());
        } else {
            NodeSettings.own(host, near.name());
            host.setUp(near.index(), true);
        }
        return near;
    }

    private Link farEnd(Link near, Link bridge) throws CniException, LinuxNetException {
        // An end in another namespace may have the same number as one of this node's links.
        Optional<Link> far = near.kind().equals(VETH)
                ? host.link(near.peerIndex())
                        .filter(link -> link.kind().equals(VETH) && link.peerIndex() == near.index())
                : Optional.empty();
        return far.orElseThrow(() -> new CniException(
                ErrorCode.INVALID_CONFIG,
                "vlan: \"" + near.name() + "\" already exists but is neither a VLAN link on " + bridge.name()
                        + " nor an end of a veth pair on this node",
                "it is of kind \"" + near.kind() + "\""));
    }

    /** Adds the VLAN to the bridge's own end, if it is missing. Adding VLAN 1 again would make it tagged. */
    private void joinVlan(Link bridge, int vlan) throws LinuxNetException {
        if (host.vlans(bridge.index()).stream().noneMatch(has -> has.first() == vlan)) {
            host.addOwnVlan(bridge.index(), vlan);
        }
    }

    private void plugIn(Link far, Link bridge, NetworkConfig.VlanConfig vlans) throws LinuxNetException {
        if (far.masterIndex() != bridge.index()) {
            NodeSettings.own(host, far.name());
            host.setMaster(far.index(), bridge.index());
        }
        PortVlans.of(host, far).change(vlans.withoutTrunk().ofPort());
        if (!far.up()) {
            host.setUp(far.index(), true);
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
