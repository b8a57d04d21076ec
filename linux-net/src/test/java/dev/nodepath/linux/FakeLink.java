package dev.nodepath.linux;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.PortVlan;
import dev.nodepath.linux.link.Vxlan;
import dev.nodepath.linux.link.VxlanSpec;
import dev.nodepath.linux.syscall.Errno;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A link of the fake kernel: its changing state, and the rules that one link knows by itself. */
final class FakeLink {
    static final int MTU_MIN = 68;
    static final int MTU_MAX = 65535;
    static final int MTU_DEFAULT = 1500;
    private static final int LOOPBACK_MTU = 65536;
    private static final MacAddress NO_MAC = new MacAddress(0);

    final FakeNamespace namespace;
    final int index;
    final String name;
    final String kind;
    MacAddress mac;
    int mtu;
    boolean up;
    boolean hairpin;
    boolean isolated;
    boolean promiscuous;
    boolean vlanFiltering;
    boolean netfilter;
    String alias = "";
    Optional<Vxlan> vxlan = Optional.empty();
    final TreeMap<Integer, PortVlan> vlans = new TreeMap<>();

    @Nullable
    FakeLink master;

    @Nullable
    FakeLink peer;
    /** A bridge whose MAC or MTU was set by hand keeps it; otherwise it follows its ports. */
    boolean macPinned;

    boolean mtuPinned;

    private FakeLink(FakeNamespace namespace, int index, String name, String kind, Optional<MacAddress> mac, int mtu) {
        this.namespace = namespace;
        this.index = index;
        this.name = name;
        this.kind = kind;
        this.mac = mac.orElse(NO_MAC);
        this.macPinned = mac.isPresent();
        this.mtu = mtu;
    }

    static FakeLink loopback(FakeNamespace namespace) {
        return new FakeLink(namespace, 1, "lo", "", Optional.empty(), LOOPBACK_MTU);
    }

    static FakeLink bridge(FakeNamespace namespace, int index, BridgeSpec spec) {
        FakeLink bridge = new FakeLink(
                namespace, index, spec.name(), "bridge", spec.mac(), spec.mtu().orElse(MTU_DEFAULT));
        bridge.netfilter = spec.netfilter();
        bridge.vlanFiltering = spec.vlanFiltering();
        bridge.vlans.put(1, PortVlan.access(1));
        return bridge;
    }

    static FakeLink veth(FakeNamespace namespace, int index, String name, MacAddress mac, int mtu) {
        return new FakeLink(namespace, index, name, "veth", Optional.of(mac), mtu);
    }

    static FakeLink vxlan(FakeNamespace namespace, int index, VxlanSpec spec) {
        FakeLink link = new FakeLink(namespace, index, spec.name(), "vxlan", Optional.of(spec.mac()), spec.mtu());
        link.vxlan = Optional.of(spec.tunnel());
        return link;
    }

    static FakeLink vlan(FakeLink parent, int index, String name) {
        FakeLink link = new FakeLink(parent.namespace, index, name, "vlan", Optional.of(parent.mac), parent.mtu);
        link.peer = parent;
        return link;
    }

    boolean isLoopback() {
        return kind.isEmpty();
    }

    boolean isBridge() {
        return kind.equals("bridge");
    }

    boolean isVlan() {
        return kind.equals("vlan");
    }

    /** The kernel's changes for a new port: every bridge has VLAN 1 for frames without a tag. */
    void join(FakeLink bridge) {
        master = bridge;
        vlans.put(1, PortVlan.access(1));
        bridge.followPorts();
    }

    void leave() {
        FakeLink bridge = master;
        if (bridge != null) {
            master = null;
            hairpin = false;
            isolated = false;
            vlans.clear();
            bridge.followPorts();
        }
    }

    void addVlan(PortVlan vlan) throws FakeRefusal {
        if (master == null) {
            throw new FakeRefusal(Errno.EOPNOTSUPP);
        }
        if (vlan.first() < 1 || vlan.last() > 4094 || vlan.last() < vlan.first()) {
            throw new FakeRefusal(Errno.EINVAL);
        }
        if (vlan.pvid()) {
            vlans.replaceAll((id, has) -> new PortVlan(id, id, false, has.untagged()));
        }
        for (int id = vlan.first(); id <= vlan.last(); id++) {
            vlans.put(id, new PortVlan(id, id, vlan.pvid(), vlan.untagged()));
        }
    }

    void checkMtu(int wanted) throws FakeRefusal {
        if (wanted < (isLoopback() ? 0 : MTU_MIN) || (!isLoopback() && wanted > MTU_MAX)) {
            throw new FakeRefusal(Errno.EINVAL);
        }
    }

    /** A veth runs when both ends are up, a bridge when one of its ports runs. */
    boolean running() {
        if (isBridge()) {
            return up && namespace.portsOf(this).anyMatch(FakeLink::running);
        }
        return up && peer != null && peer.up;
    }

    /** The kernel's changes of a bridge when a port comes, goes or changes its MTU. */
    void followPorts() {
        if (!macPinned) {
            mac = new MacAddress(namespace
                    .portsOf(this)
                    .mapToLong(port -> port.mac.bits())
                    .min()
                    .orElse(0));
        }
        if (!mtuPinned) {
            mtu = namespace.portsOf(this).mapToInt(port -> port.mtu).min().orElse(MTU_DEFAULT);
        }
    }

    Link snapshot() {
        return new Link(
                index,
                name,
                kind,
                Optional.of(mac),
                mtu,
                up,
                running(),
                master == null ? 0 : master.index,
                peer == null ? 0 : peer.index,
                alias,
                promiscuous,
                hairpin,
                isolated,
                vlanFiltering,
                netfilter ? EnumSet.allOf(IpFamily.class) : Set.of(),
                vxlan);
    }
}
