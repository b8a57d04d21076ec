package dev.nodepath.linux.namespace;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.io.Descriptor;
import dev.nodepath.linux.link.AddressOptions;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.KernelAddresses;
import dev.nodepath.linux.link.KernelLinks;
import dev.nodepath.linux.link.KernelVlans;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.PortVlan;
import dev.nodepath.linux.link.VxlanSpec;
import dev.nodepath.linux.netlink.KeptSockets;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.nftables.KernelNft;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftJump;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.route.KernelNeighbourTables;
import dev.nodepath.linux.route.KernelRoutes;
import dev.nodepath.linux.route.ListedRoute;
import dev.nodepath.linux.route.NeighbourTables;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** An opened namespace of the kernel: its file and a netlink socket that was opened inside it. */
public final class KernelNamespace implements NetworkNamespace {
    private final Syscalls syscalls;
    private final NamespaceFile file;
    private final Sysctls sysctls;
    private final KernelLinks links;
    private final KernelVlans vlans;
    private final KernelAddresses addresses;
    private final KernelRoutes routes;
    private final NeighbourTables neighbours;
    private final KernelNft nft;
    private final Runnable release;

    private KernelNamespace(
            Syscalls syscalls, NamespaceFile file, NetlinkSocket socket, KernelNft nft, Runnable release) {
        this.syscalls = syscalls;
        this.file = file;
        this.sysctls = new Sysctls(syscalls);
        this.links = new KernelLinks(socket);
        this.vlans = new KernelVlans(socket);
        this.addresses = new KernelAddresses(socket);
        this.routes = new KernelRoutes(socket);
        this.neighbours = new KernelNeighbourTables(socket);
        this.nft = nft;
        this.release = release;
    }

    /** Opens a socket inside the namespace. Takes over the file, and closes it after a failure. */
    public static KernelNamespace open(Syscalls syscalls, NamespaceFile file) throws LinuxNetException {
        boolean done = false;
        try {
            NetlinkSocket socket = NamespaceSockets.open(syscalls, file, NetlinkSocket.ROUTE);
            done = true;
            KernelNft nft = nft(syscalls, file);
            return new KernelNamespace(syscalls, file, socket, nft, () -> {
                nft.close();
                socket.close();
            });
        } finally {
            if (!done) {
                file.close();
            }
        }
    }

    /** Opens the process's namespace with sockets of the caller, which outlive the handle. */
    public static KernelNamespace ofProcess(Syscalls syscalls, KeptSockets sockets, KernelNft nft)
            throws LinuxNetException {
        NamespaceFile file = NamespaceFile.ofProcess(syscalls);
        NetlinkSocket socket = sockets.take();
        return new KernelNamespace(syscalls, file, socket, nft, () -> sockets.giveBack(socket));
    }

    private static KernelNft nft(Syscalls syscalls, NamespaceFile file) {
        return new KernelNft(() -> NamespaceSockets.open(syscalls, file, NetlinkSocket.NETFILTER));
    }

    @Override
    public <T> T call(NamespaceTask<T> task) throws LinuxNetException {
        return file.onOwnThread(task);
    }

    @Override
    public List<Link> links() throws LinuxNetException {
        return links.list();
    }

    @Override
    public Optional<Link> link(String name) throws LinuxNetException {
        return links.find(name);
    }

    @Override
    public Optional<Link> link(int index) throws LinuxNetException {
        return links.find(index);
    }

    @Override
    public Optional<Link> peer(Link veth) throws LinuxNetException {
        return links.peer(veth);
    }

    @Override
    public Link createBridge(BridgeSpec spec) throws LinuxNetException {
        return links.createBridge(spec);
    }

    @Override
    public Link createVeth(VethSpec spec) throws LinuxNetException {
        if (!(spec.peerNamespace() instanceof KernelNamespace peer)) {
            throw new IllegalArgumentException(
                    "peerNamespace: " + spec.peerNamespace() + " (expected: one of the kernel)");
        }
        try (Descriptor peerNamespace = peer.file.duplicate()) {
            return links.createVeth(spec.name(), spec.mac(), spec.mtu(), spec.peerName(), peerNamespace);
        }
    }

    @Override
    public Link createVxlan(VxlanSpec spec) throws LinuxNetException {
        return links.createVxlan(spec);
    }

    @Override
    public void deleteLink(int index) throws LinuxNetException {
        links.delete(index);
    }

    @Override
    public void deleteLinks(Collection<Integer> indexes) throws LinuxNetException {
        links.deleteAll(indexes);
    }

    @Override
    public void setUp(int index, boolean up) throws LinuxNetException {
        links.setUp(index, up);
    }

    @Override
    public void setMaster(int index, int masterIndex) throws LinuxNetException {
        links.setMaster(index, masterIndex);
    }

    @Override
    public void setMac(int index, MacAddress mac) throws LinuxNetException {
        links.setMac(index, mac);
    }

    @Override
    public void setMtu(int index, int mtu) throws LinuxNetException {
        links.setMtu(index, mtu);
    }

    @Override
    public void setHairpin(int index, boolean hairpin) throws LinuxNetException {
        links.setHairpin(index, hairpin);
    }

    @Override
    public void setIsolated(int index, boolean isolated) throws LinuxNetException {
        links.setIsolated(index, isolated);
    }

    @Override
    public void setForwardsReserved(int index, boolean forwards) throws LinuxNetException {
        links.setForwardsReserved(index, forwards);
    }

    @Override
    public void setAlias(int index, String alias) throws LinuxNetException {
        links.setAlias(index, alias);
    }

    @Override
    public void setPromiscuous(int index, boolean promiscuous) throws LinuxNetException {
        links.setPromiscuous(index, promiscuous);
    }

    @Override
    public void setVlanFiltering(int index, boolean filtering) throws LinuxNetException {
        links.setVlanFiltering(index, filtering);
    }

    @Override
    public void setNetfilter(int index, boolean netfilter) throws LinuxNetException {
        links.setNetfilter(index, netfilter);
    }

    @Override
    public void addVlan(int index, PortVlan vlan) throws LinuxNetException {
        vlans.add(index, vlan);
    }

    @Override
    public void addOwnVlan(int bridgeIndex, int id) throws LinuxNetException {
        vlans.addOwn(bridgeIndex, id);
    }

    @Override
    public void deleteVlan(int index, int id) throws LinuxNetException {
        vlans.delete(index, id);
    }

    @Override
    public List<PortVlan> vlans(int index) throws LinuxNetException {
        return vlans.list(index);
    }

    @Override
    public List<InterfaceAddress> addresses() throws LinuxNetException {
        return addresses.list();
    }

    @Override
    public List<InterfaceAddress> addresses(int index) throws LinuxNetException {
        return addresses.list(index);
    }

    @Override
    public void addAddress(int index, Cidr address, AddressOptions options) throws LinuxNetException {
        addresses.add(index, address, options);
    }

    @Override
    public void deleteAddress(int index, Cidr address) throws LinuxNetException {
        addresses.delete(index, address);
    }

    @Override
    public List<ListedRoute> listedRoutes() throws LinuxNetException {
        return routes.list();
    }

    @Override
    public void addRoute(Route route) throws LinuxNetException {
        routes.addIfAbsent(route, RouteOptions.DEFAULT);
    }

    @Override
    public void addRoute(Route route, RouteOptions options) throws LinuxNetException {
        routes.add(route, options);
    }

    @Override
    public void addRouteIfAbsent(Route route, RouteOptions options) throws LinuxNetException {
        routes.addIfAbsent(route, options);
    }

    @Override
    public Optional<Route> routeTo(IpAddress destination) throws LinuxNetException {
        return routes.lookUp(destination);
    }

    @Override
    public void replaceRoute(Route route, RouteOptions options) throws LinuxNetException {
        routes.replace(route, options);
    }

    @Override
    public void deleteRoute(Route route, RouteOptions options) throws LinuxNetException {
        routes.delete(route, options);
    }

    @Override
    public NeighbourTables neighbourTables() {
        return neighbours;
    }

    @Override
    public NetworkWatch watch() throws LinuxNetException {
        return new KernelNetworkWatch(
                NamespaceSockets.openGroups(syscalls, file, NetlinkSocket.ROUTE, ChangeMessages.groups()));
    }

    @Override
    public String sysctl(String key) throws LinuxNetException {
        String checked = Sysctls.checkedKey(key);
        return file.inside(() -> sysctls.read(checked));
    }

    @Override
    public void setSysctls(Map<String, String> settings) throws LinuxNetException {
        for (String key : settings.keySet()) {
            Sysctls.checkedKey(key);
        }
        file.inside(() -> write(settings));
    }

    private int write(Map<String, String> settings) throws LinuxNetException {
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            sysctls.write(setting.getKey(), setting.getValue());
        }
        return settings.size();
    }

    @Override
    public boolean hasNftTable(NftTable table) throws LinuxNetException {
        return nft.has(table);
    }

    @Override
    public boolean isNftTableInForce(NftTable table) throws LinuxNetException {
        return nft.isInForce(table);
    }

    @Override
    public List<NftListedRule> nftRules(NftChain chain) throws LinuxNetException {
        return nft.rules(chain);
    }

    @Override
    public List<NftJump> nftJumps(NftChain chain) throws LinuxNetException {
        return nft.jumps(chain);
    }

    @Override
    public List<NftElement> nftElements(NftSet set) throws LinuxNetException {
        return nft.elements(set);
    }

    @Override
    public Set<String> legacyTables(IpFamily family) throws LinuxNetException {
        return file.inside(() -> LegacyTableNames.read(family));
    }

    @Override
    public void nftApply(List<NftChange> changes) throws LinuxNetException {
        nft.apply(changes);
    }

    @Override
    public void close() {
        release.run();
        file.close();
    }
}
