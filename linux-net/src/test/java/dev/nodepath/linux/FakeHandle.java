package dev.nodepath.linux;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.AddressOptions;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.PortVlan;
import dev.nodepath.linux.link.VxlanSpec;
import dev.nodepath.linux.namespace.NamespaceThread;
import dev.nodepath.linux.namespace.NetworkChange;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.NetworkWatch;
import dev.nodepath.linux.namespace.Sysctls;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftJump;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.route.ListedRoute;
import dev.nodepath.linux.route.NeighbourTables;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** An opened namespace of the fake kernel. */
final class FakeHandle implements NetworkNamespace {
    private static final int ALIAS_BYTES_MAX = 255;

    private final FakeLinuxNet kernel;
    private final FakeNamespace namespace;
    private boolean closed;

    FakeHandle(FakeLinuxNet kernel, FakeNamespace namespace) {
        this.kernel = kernel;
        this.namespace = namespace;
    }

    /** The work of a call inside the kernel. */
    interface Work<T> {
        T run() throws FakeRefusal;
    }

    /** The same for a call without a result. */
    interface Change {
        void run() throws FakeRefusal;
    }

    @Override
    public <T> T call(NamespaceTask<T> task) throws LinuxNetException {
        perform("call", "", () -> namespace);
        return NamespaceThread.run("fake-netns", task);
    }

    @Override
    public List<Link> links() throws LinuxNetException {
        return perform("links", "", namespace::snapshot);
    }

    @Override
    public Optional<Link> link(String name) throws LinuxNetException {
        return perform("link", name, () -> namespace.find(name).map(FakeLink::snapshot));
    }

    @Override
    public Optional<Link> link(int index) throws LinuxNetException {
        return perform(
                "link",
                index,
                () -> namespace
                        .links()
                        .filter(link -> link.index == index)
                        .findFirst()
                        .map(FakeLink::snapshot));
    }

    @Override
    public Optional<Link> peer(Link veth) throws LinuxNetException {
        return perform(
                "peer",
                veth.index(),
                () -> namespace
                        .links()
                        .filter(link -> link.index == veth.index())
                        .findFirst()
                        .flatMap(link -> Optional.ofNullable(link.peer))
                        .map(FakeLink::snapshot));
    }

    @Override
    public Link createBridge(BridgeSpec spec) throws LinuxNetException {
        return perform(
                "createBridge", spec.name(), () -> namespace.createBridge(spec).snapshot());
    }

    @Override
    public Link createVeth(VethSpec spec) throws LinuxNetException {
        return perform("createVeth", spec.name() + " " + spec.peerName(), () -> {
            if (!(spec.peerNamespace() instanceof FakeHandle far) || far.kernel != kernel) {
                throw new IllegalArgumentException("peerNamespace: not of this kernel");
            }
            far.checkOpen();
            return namespace.createVeth(spec, far.namespace).snapshot();
        });
    }

    @Override
    public Link createVxlan(VxlanSpec spec) throws LinuxNetException {
        return perform(
                "createVxlan", spec.name(), () -> namespace.createVxlan(spec).snapshot());
    }

    @Override
    public void deleteLink(int index) throws LinuxNetException {
        change("deleteLink", index, () -> namespace.delete(namespace.link(index)));
    }

    @Override
    public void deleteLinks(Collection<Integer> indexes) throws LinuxNetException {
        change("deleteLinks", indexes, () -> {
            for (int index : indexes) {
                if (namespace.links().anyMatch(link -> link.index == index)) {
                    namespace.delete(namespace.link(index));
                }
            }
        });
    }

    @Override
    public void setUp(int index, boolean up) throws LinuxNetException {
        change("setUp", index + " " + up, () -> {
            namespace.setUp(namespace.link(index), up);
            namespace.announce(new NetworkChange(NetworkChange.Kind.LINK, false, index, 0));
        });
    }

    @Override
    public void setMaster(int index, int masterIndex) throws LinuxNetException {
        change("setMaster", index + " " + masterIndex, () -> namespace.setMaster(namespace.link(index), masterIndex));
    }

    @Override
    public void setMac(int index, MacAddress mac) throws LinuxNetException {
        change("setMac", index + " " + mac, () -> {
            FakeLink link = namespace.link(index);
            link.mac = mac;
            link.macPinned = link.isBridge();
        });
    }

    @Override
    public void setMtu(int index, int mtu) throws LinuxNetException {
        change("setMtu", index + " " + mtu, () -> namespace.setMtu(namespace.link(index), mtu));
    }

    @Override
    public void setHairpin(int index, boolean hairpin) throws LinuxNetException {
        change("setHairpin", index + " " + hairpin, () -> namespace.setHairpin(namespace.link(index), hairpin));
    }

    @Override
    public void setIsolated(int index, boolean isolated) throws LinuxNetException {
        change("setIsolated", index + " " + isolated, () -> namespace.setIsolated(namespace.link(index), isolated));
    }

    @Override
    public void setForwardsReserved(int index, boolean forwards) throws LinuxNetException {
        change(
                "setForwardsReserved",
                index + " " + forwards,
                () -> namespace.setForwardsReserved(namespace.link(index)));
    }

    @Override
    public void setAlias(int index, String alias) throws LinuxNetException {
        change("setAlias", index + " " + alias, () -> {
            FakeLink link = namespace.link(index);
            if (alias.getBytes(StandardCharsets.UTF_8).length > ALIAS_BYTES_MAX) {
                throw new FakeRefusal(Errno.ERANGE);
            }
            link.alias = alias;
        });
    }

    @Override
    public void setPromiscuous(int index, boolean promiscuous) throws LinuxNetException {
        change("setPromiscuous", index + " " + promiscuous, () -> namespace.link(index).promiscuous = promiscuous);
    }

    @Override
    public void setVlanFiltering(int index, boolean filtering) throws LinuxNetException {
        change("setVlanFiltering", index + " " + filtering, () -> namespace.bridge(index).vlanFiltering = filtering);
    }

    @Override
    public void setNetfilter(int index, boolean netfilter) throws LinuxNetException {
        change("setNetfilter", index + " " + netfilter, () -> namespace.bridge(index).netfilter = netfilter);
    }

    @Override
    public void addVlan(int index, PortVlan vlan) throws LinuxNetException {
        change("addVlan", index + " " + vlan, () -> namespace.link(index).addVlan(vlan));
    }

    @Override
    public void addOwnVlan(int bridgeIndex, int id) throws LinuxNetException {
        change(
                "addOwnVlan",
                bridgeIndex + " " + id,
                () -> namespace.bridge(bridgeIndex).vlans.put(id, PortVlan.tagged(id)));
    }

    @Override
    public void deleteVlan(int index, int id) throws LinuxNetException {
        change("deleteVlan", index + " " + id, () -> namespace.link(index).vlans.remove(id));
    }

    @Override
    public List<PortVlan> vlans(int index) throws LinuxNetException {
        return perform(
                "vlans",
                index,
                () -> namespace
                        .links()
                        .filter(link -> link.index == index)
                        .flatMap(link -> link.vlans.values().stream())
                        .toList());
    }

    @Override
    public boolean hasNftTable(NftTable table) throws LinuxNetException {
        return perform(
                "hasNftTable", table.name(), () -> namespace.nft().read(table).isPresent());
    }

    @Override
    public boolean isNftTableInForce(NftTable table) throws LinuxNetException {
        return perform(
                "isNftTableInForce",
                table.name(),
                () -> namespace
                        .nft()
                        .read(table)
                        .filter(read -> !read.dormant())
                        .isPresent());
    }

    @Override
    public List<NftListedRule> nftRules(NftChain chain) throws LinuxNetException {
        return perform("nftRules", chain.name(), () -> namespace.nft().list(chain));
    }

    @Override
    public List<NftJump> nftJumps(NftChain chain) throws LinuxNetException {
        return perform("nftJumps", chain.name(), () -> namespace.nft().jumps(chain));
    }

    @Override
    public List<NftElement> nftElements(NftSet set) throws LinuxNetException {
        return perform("nftElements", set.name(), () -> namespace.nft().elements(set));
    }

    @Override
    public Set<String> legacyTables(IpFamily family) throws LinuxNetException {
        return perform("legacyTables", family, () -> Set.of());
    }

    @Override
    public void nftApply(List<NftChange> changes) throws LinuxNetException {
        change("nftApply", changes, () -> namespace.nft().change(changes));
    }

    @Override
    public List<InterfaceAddress> addresses() throws LinuxNetException {
        return perform("addresses", "", () -> namespace.ip().addresses());
    }

    @Override
    public List<InterfaceAddress> addresses(int index) throws LinuxNetException {
        return perform("addresses", index, () -> {
            int known = namespace.device(index).index;
            return namespace.ip().addresses().stream()
                    .filter(address -> address.linkIndex() == known)
                    .toList();
        });
    }

    @Override
    public void addAddress(int index, Cidr address, AddressOptions options) throws LinuxNetException {
        change("addAddress", index + " " + address, () -> {
            namespace.ip().addAddress(namespace.device(index), address, options);
            namespace.announce(new NetworkChange(NetworkChange.Kind.ADDRESS, false, index, 0));
        });
    }

    @Override
    public void deleteAddress(int index, Cidr address) throws LinuxNetException {
        change("deleteAddress", index + " " + address, () -> {
            namespace.ip().deleteAddress(namespace.device(index), address);
            namespace.announce(new NetworkChange(NetworkChange.Kind.ADDRESS, true, index, 0));
        });
    }

    @Override
    public void addRoute(Route route) throws LinuxNetException {
        change("addRoute", route, () -> namespace.ip().addRouteIfAbsent(namespace, route, RouteOptions.DEFAULT));
    }

    @Override
    public void addRoute(Route route, RouteOptions options) throws LinuxNetException {
        change("addRoute", route, () -> namespace.ip().addRoute(namespace, route, options));
    }

    @Override
    public Optional<Route> routeTo(IpAddress destination) throws LinuxNetException {
        return perform("routeTo", destination, () -> namespace.ip().routeTo(destination));
    }

    @Override
    public List<ListedRoute> listedRoutes() throws LinuxNetException {
        return perform("listedRoutes", "", () -> namespace.ip().listedRoutes());
    }

    @Override
    public void addRouteIfAbsent(Route route, RouteOptions options) throws LinuxNetException {
        change("addRouteIfAbsent", route, () -> {
            namespace.ip().addRouteIfAbsent(namespace, route, options);
            announceRoute(false, route, options);
        });
    }

    @Override
    public void replaceRoute(Route route, RouteOptions options) throws LinuxNetException {
        change("replaceRoute", route, () -> {
            namespace.ip().replaceRoute(namespace, route, options);
            announceRoute(false, route, options);
        });
    }

    @Override
    public void deleteRoute(Route route, RouteOptions options) throws LinuxNetException {
        change("deleteRoute", route, () -> {
            ListedRoute deleted = namespace.ip().deleteRoute(route, options);
            announceRoute(true, deleted.route(), deleted.options());
        });
    }

    private void announceRoute(boolean removed, Route route, RouteOptions options) {
        namespace.announce(new NetworkChange(
                NetworkChange.Kind.ROUTE,
                removed,
                route.linkIndex(),
                options.protocol().orElse(0)));
    }

    @Override
    public NeighbourTables neighbourTables() {
        return new FakeNeighbourTables(this, namespace);
    }

    @Override
    public NetworkWatch watch() throws LinuxNetException {
        return perform("watch", "", () -> new FakeNetworkWatch(namespace));
    }

    @Override
    public String sysctl(String key) throws LinuxNetException {
        String checked = Sysctls.checkedKey(key);
        return perform("sysctl", key, () -> namespace.sysctls().get(checked));
    }

    @Override
    public void setSysctl(String key, String value) throws LinuxNetException {
        String checked = Sysctls.checkedKey(key);
        change("setSysctl", key + "=" + value, () -> set(checked, value));
    }

    @Override
    public void setSysctls(Map<String, String> settings) throws LinuxNetException {
        change("setSysctls", settings, () -> {
            for (Map.Entry<String, String> setting : settings.entrySet()) {
                set(Sysctls.checkedKey(setting.getKey()), setting.getValue());
            }
        });
    }

    private void set(String key, String value) throws FakeRefusal {
        namespace.sysctls().set(key, value);
        if (key.endsWith("/disable_ipv6")) {
            namespace.links().forEach(namespace.ip()::dropIpv6WhereDisabled);
        }
    }

    @Override
    public void close() {
        synchronized (kernel) {
            if (!closed) {
                closed = true;
                kernel.release(namespace);
            }
        }
    }

    void change(String operation, Object arguments, Change change) throws LinuxNetException {
        perform(operation, arguments, () -> {
            change.run();
            return operation;
        });
    }

    <T> T perform(String operation, Object arguments, Work<T> work) throws LinuxNetException {
        synchronized (kernel) {
            checkOpen();
            try {
                kernel.inject(operation);
                return work.run();
            } catch (FakeRefusal refusal) {
                throw new LinuxNetException(
                        operation + " " + arguments, refusal.errno().number(), "");
            }
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the network namespace handle is closed");
        }
    }
}
