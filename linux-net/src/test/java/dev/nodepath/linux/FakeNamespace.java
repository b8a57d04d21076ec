package dev.nodepath.linux;

import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.VxlanSpec;
import dev.nodepath.linux.namespace.NetworkChange;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.syscall.Errno;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The links of one namespace of the fake kernel, with its addresses, routes and settings. Guarded by the kernel's
 * lock.
 */
final class FakeNamespace {
    private static final int NAME_BYTES_MAX = 15;
    private static final Random RANDOM = new Random();

    private final TreeMap<Integer, FakeLink> links = new TreeMap<>();
    private final FakeSysctls sysctls = new FakeSysctls();
    private final FakeIpStack ip = new FakeIpStack(sysctls);
    private final FakeNftTables nft = new FakeNftTables();
    private final FakeNeighbours neighbours = new FakeNeighbours();
    private final List<FakeNetworkWatch> watches = new ArrayList<>();
    private int lastIndex = 1;

    /** How many files and open handles keep it alive. */
    int users;

    FakeNamespace() {
        links.put(1, FakeLink.loopback(this));
        sysctls.linkAdded("lo");
    }

    FakeIpStack ip() {
        return ip;
    }

    FakeNftTables nft() {
        return nft;
    }

    FakeNeighbours neighbours() {
        return neighbours;
    }

    List<FakeNetworkWatch> watches() {
        return watches;
    }

    void announce(NetworkChange change) {
        watches.forEach(watch -> watch.announce(change));
    }

    FakeSysctls sysctls() {
        return sysctls;
    }

    Stream<FakeLink> links() {
        return links.values().stream();
    }

    Stream<FakeLink> portsOf(FakeLink bridge) {
        return links().filter(link -> link.master == bridge);
    }

    Optional<FakeLink> find(String name) {
        return links().filter(link -> link.name.equals(name)).findFirst();
    }

    /** The link of an index, as link requests look for it: 0 and below name no link. */
    FakeLink link(int index) throws FakeRefusal {
        if (index <= 0) {
            throw new FakeRefusal(Errno.EINVAL);
        }
        FakeLink link = links.get(index);
        if (link == null) {
            throw new FakeRefusal(Errno.ENODEV);
        }
        return link;
    }

    /** The link of an index, as address and route requests look for it. */
    FakeLink device(int index) throws FakeRefusal {
        FakeLink link = links.get(index);
        if (link == null) {
            throw new FakeRefusal(Errno.ENODEV);
        }
        return link;
    }

    FakeLink createBridge(BridgeSpec spec) throws FakeRefusal {
        checkNewName(spec.name());
        FakeLink bridge = FakeLink.bridge(this, lastIndex + 1, spec);
        bridge.checkMtu(bridge.mtu);
        return added(bridge);
    }

    FakeLink createVxlan(VxlanSpec spec) throws FakeRefusal {
        checkNewName(spec.name());
        FakeLink vxlan = FakeLink.vxlan(this, lastIndex + 1, spec);
        vxlan.checkMtu(vxlan.mtu);
        boolean taken = links().flatMap(link -> link.vxlan.stream())
                .anyMatch(has -> has.id() == spec.tunnel().id()
                        && has.port() == spec.tunnel().port());
        if (taken) {
            throw new FakeRefusal(Errno.EEXIST);
        }
        return added(vxlan);
    }

    FakeLink createVeth(VethSpec spec, FakeNamespace peerNamespace) throws FakeRefusal {
        checkNewName(spec.name());
        peerNamespace.checkNewName(spec.peerName());
        if (peerNamespace == this && spec.name().equals(spec.peerName())) {
            throw new FakeRefusal(Errno.EEXIST);
        }
        int mtu = spec.mtu().orElse(FakeLink.MTU_DEFAULT);
        if (mtu < FakeLink.MTU_MIN || mtu > FakeLink.MTU_MAX) {
            throw new FakeRefusal(Errno.EINVAL);
        }
        FakeLink far = peerNamespace.added(
                FakeLink.veth(peerNamespace, peerNamespace.lastIndex + 1, spec.peerName(), randomMac(), mtu));
        FakeLink near = added(
                FakeLink.veth(this, lastIndex + 1, spec.name(), spec.mac().orElseGet(FakeNamespace::randomMac), mtu));
        near.peer = far;
        far.peer = near;
        return near;
    }

    FakeLink createVlan(FakeLink parent, String name) throws FakeRefusal {
        checkNewName(name);
        return added(FakeLink.vlan(parent, lastIndex + 1, name));
    }

    void delete(FakeLink link) throws FakeRefusal {
        if (link.isLoopback()) {
            throw new FakeRefusal(Errno.EOPNOTSUPP);
        }
        FakeLink peer = link.peer;
        links().filter(upper -> upper.isVlan() && upper.peer == link).toList().forEach(this::remove);
        remove(link);
        if (peer != null && !link.isVlan()) {
            peer.namespace.remove(peer);
        }
    }

    /** Removes the links of an unused namespace, and the far ends of veths. */
    void destroy() {
        for (FakeLink link : new ArrayList<>(links.values())) {
            if (link.peer != null && !link.isVlan()) {
                link.peer.namespace.remove(link.peer);
            }
        }
        links.clear();
    }

    void setUp(FakeLink link, boolean up) {
        if (link.up == up) {
            return;
        }
        link.up = up;
        if (up) {
            ip.linkUp(link);
        } else {
            ip.linkDown(link);
            neighbours.linkDown(link);
        }
    }

    /** Like the kernel, takes the link from its old bridge before it looks at the new one. */
    void setMaster(FakeLink link, int masterIndex) throws FakeRefusal {
        if (link.master != null && link.master.index == masterIndex) {
            return;
        }
        link.leave();
        if (masterIndex != 0) {
            FakeLink bridge = checkedMaster(link, links.get(masterIndex));
            link.join(bridge);
        }
    }

    void setMtu(FakeLink link, int mtu) throws FakeRefusal {
        link.checkMtu(mtu);
        if (link.mtu == mtu) {
            return;
        }
        link.mtu = mtu;
        link.mtuPinned = link.isBridge();
        if (link.master != null) {
            link.master.followPorts();
        }
    }

    void setHairpin(FakeLink link, boolean hairpin) throws FakeRefusal {
        if (link.master == null) {
            throw new FakeRefusal(Errno.EOPNOTSUPP);
        }
        link.hairpin = hairpin;
    }

    void setIsolated(FakeLink link, boolean isolated) throws FakeRefusal {
        if (link.master == null) {
            throw new FakeRefusal(Errno.EOPNOTSUPP);
        }
        link.isolated = isolated;
    }

    /** A fake carries no frames, so this has no effect but the refusal. */
    void setForwardsReserved(FakeLink link) throws FakeRefusal {
        if (link.master == null) {
            throw new FakeRefusal(Errno.EOPNOTSUPP);
        }
    }

    /** The link, if it is a bridge whose options may change. */
    FakeLink bridge(int index) throws FakeRefusal {
        FakeLink bridge = link(index);
        if (!bridge.isBridge()) {
            throw new FakeRefusal(Errno.EOPNOTSUPP);
        }
        return bridge;
    }

    List<Link> snapshot() {
        return links().map(FakeLink::snapshot).toList();
    }

    private FakeLink added(FakeLink link) {
        links.put(link.index, link);
        lastIndex = link.index;
        sysctls.linkAdded(link.name);
        return link;
    }

    private void remove(FakeLink link) {
        portsOf(link).toList().forEach(FakeLink::leave);
        link.leave();
        ip.linkGone(link);
        neighbours.linkGone(link);
        announce(new NetworkChange(NetworkChange.Kind.LINK, true, link.index, 0));
        sysctls.linkGone(link.name);
        links.remove(link.index);
    }

    private static FakeLink checkedMaster(FakeLink link, @Nullable FakeLink bridge) throws FakeRefusal {
        if (bridge == null) {
            throw new FakeRefusal(Errno.EINVAL);
        }
        if (!bridge.isBridge()) {
            throw new FakeRefusal(Errno.EOPNOTSUPP);
        }
        if (link.isBridge()) {
            throw new FakeRefusal(Errno.ELOOP);
        }
        if (link.isLoopback()) {
            throw new FakeRefusal(Errno.EINVAL);
        }
        return bridge;
    }

    /** {@code dev_valid_name} of the kernel, and the attribute policy before it. */
    private void checkNewName(String name) throws FakeRefusal {
        if (name.getBytes(StandardCharsets.UTF_8).length > NAME_BYTES_MAX) {
            throw new FakeRefusal(Errno.ERANGE);
        }
        if (name.isEmpty() || name.equals(".") || name.equals("..") || name.matches("(?s).*[/:%\\s\0].*")) {
            throw new FakeRefusal(Errno.EINVAL);
        }
        if (find(name).isPresent()) {
            throw new FakeRefusal(Errno.EEXIST);
        }
    }

    private static MacAddress randomMac() {
        return MacAddress.random(RANDOM);
    }
}
