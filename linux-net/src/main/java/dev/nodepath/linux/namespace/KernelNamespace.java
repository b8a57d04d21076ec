package dev.nodepath.linux.namespace;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.AddressOptions;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.KernelAddresses;
import dev.nodepath.linux.link.KernelVlans;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.LinkMessages;
import dev.nodepath.linux.link.LinkNames;
import dev.nodepath.linux.link.PortVlan;
import dev.nodepath.linux.link.VxlanSpec;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.nftables.KernelNft;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftJump;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.route.KernelNeighbourTables;
import dev.nodepath.linux.route.KernelRoutes;
import dev.nodepath.linux.route.ListedRoute;
import dev.nodepath.linux.route.NeighbourTables;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import dev.nodepath.linux.watch.ChangeMessages;
import dev.nodepath.linux.watch.KernelNetworkWatch;
import dev.nodepath.linux.watch.NetworkWatch;
import dev.nodepath.linux.xtables.LegacyTableNames;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** An opened namespace of the kernel: its file and a netlink socket that was opened inside it. */
public final class KernelNamespace implements NetworkNamespace {
    private final Syscalls syscalls;
    private final NamespaceFile file;
    private final NetlinkSocket socket;
    private final Sysctls sysctls;
    private final KernelVlans vlans;
    private final KernelAddresses addresses;
    private final KernelRoutes routes;
    private final NeighbourTables neighbours;
    private final KernelNft nft;
    private final boolean keepsNft;

    private KernelNamespace(
            Syscalls syscalls, NamespaceFile file, NetlinkSocket socket, KernelNft nft, boolean keepsNft) {
        this.syscalls = syscalls;
        this.file = file;
        this.socket = socket;
        this.sysctls = new Sysctls(syscalls);
        this.vlans = new KernelVlans(socket);
        this.addresses = new KernelAddresses(socket);
        this.routes = new KernelRoutes(socket);
        this.neighbours = new KernelNeighbourTables(socket);
        this.nft = nft;
        this.keepsNft = keepsNft;
    }

    /** Opens the socket on a thread inside the namespace. Takes over the file, whose end it is if that fails. */
    public static KernelNamespace open(Syscalls syscalls, NamespaceFile file) throws LinuxNetException {
        return open(syscalls, file, nft(syscalls, file), false);
    }

    /** The same with an nf_tables socket that outlives what is returned. */
    public static KernelNamespace open(Syscalls syscalls, NamespaceFile file, KernelNft kept) throws LinuxNetException {
        return open(syscalls, file, kept, true);
    }

    private static KernelNft nft(Syscalls syscalls, NamespaceFile file) {
        return new KernelNft(() -> NamespaceSockets.open(syscalls, file, NetlinkSocket.NETFILTER));
    }

    private static KernelNamespace open(Syscalls syscalls, NamespaceFile file, KernelNft nft, boolean keepsNft)
            throws LinuxNetException {
        boolean done = false;
        try {
            NetlinkSocket socket = NamespaceSockets.open(syscalls, file, NetlinkSocket.ROUTE);
            done = true;
            return new KernelNamespace(syscalls, file, socket, nft, keepsNft);
        } finally {
            if (!done) {
                file.close();
            }
        }
    }

    @Override
    public <T> T call(NamespaceTask<T> task) throws LinuxNetException {
        return NamespaceThread.run("netns " + file.name(), new NamespaceTask<T>() {
            @Override
            public T run() throws Exception {
                file.enter();
                return task.run();
            }
        });
    }

    @Override
    public List<Link> links() throws LinuxNetException {
        List<Link> links = new ArrayList<>();
        for (NetlinkMessage message : socket.exchange("list links", LinkMessages.list())) {
            links.add(LinkMessages.read(message));
        }
        return links;
    }

    @Override
    public Optional<Link> link(String name) throws LinuxNetException {
        if (name.isEmpty() || name.indexOf('\0') >= 0 || LinkNames.isTooLong(name)) {
            return Optional.empty();
        }
        return find("find link " + name, LinkMessages.find(name));
    }

    @Override
    public Optional<Link> link(int index) throws LinuxNetException {
        return index <= 0 ? Optional.empty() : find("find link " + index, LinkMessages.find(index));
    }

    @Override
    public boolean isPeerElsewhere(int index, Path namespace) throws LinuxNetException {
        try (NamespaceFile other = NamespaceFile.open(syscalls, namespace)) {
            // The link first: the kernel gives the peer's namespace its number when the link is read.
            NetlinkMessage link = socket.exchange("find link " + index, LinkMessages.find(index))
                    .get(0);
            int there = namespaceId(other);
            OptionalInt ofPeer = NamespaceIdMessages.ofPeer(link);
            return ofPeer.isPresent() && ofPeer.getAsInt() != there;
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.ENODEV) {
                return false;
            }
            throw e;
        }
    }

    private int namespaceId(NamespaceFile other) throws LinuxNetException {
        int fd = other.duplicate();
        try {
            String operation = "find number of netns " + other.name();
            return NamespaceIdMessages.read(
                    socket.exchange(operation, NamespaceIdMessages.find(fd)).get(0));
        } finally {
            long unused = syscalls.close(fd);
        }
    }

    private Optional<Link> find(String operation, NetlinkRequest request) throws LinuxNetException {
        try {
            List<NetlinkMessage> found = socket.exchange(operation, request);
            return found.isEmpty() ? Optional.empty() : Optional.of(LinkMessages.read(found.get(0)));
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.ENODEV) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public Link createBridge(BridgeSpec spec) throws LinuxNetException {
        String operation = "create bridge " + spec.name() + (spec.vlanFiltering() ? " with vlan filtering" : "");
        LinkNames.check(operation, spec.name());
        BridgeNetfilter.check(operation, spec.netfilter());
        change(operation, LinkMessages.createBridge(spec));
        return created(operation, spec.name());
    }

    @Override
    public Link createVeth(VethSpec spec) throws LinuxNetException {
        String operation = "create veth " + spec.name() + " with peer " + spec.peerName();
        LinkNames.check(operation, spec.name());
        LinkNames.check(operation, spec.peerName());
        if (!(spec.peerNamespace() instanceof KernelNamespace peer)) {
            throw new IllegalArgumentException(
                    "peerNamespace: " + spec.peerNamespace() + " (expected: one of the kernel)");
        }
        int peerFd = peer.file.duplicate();
        try {
            change(operation, LinkMessages.createVeth(spec.name(), spec.mac(), spec.mtu(), spec.peerName(), peerFd));
        } finally {
            long unused = syscalls.close(peerFd);
        }
        return created(operation, spec.name());
    }

    @Override
    public Link createVxlan(VxlanSpec spec) throws LinuxNetException {
        String operation = "create vxlan " + spec.name();
        LinkNames.check(operation, spec.name());
        change(operation, LinkMessages.createVxlan(spec));
        return created(operation, spec.name());
    }

    @Override
    public void deleteLink(int index) throws LinuxNetException {
        change("delete link " + index, LinkMessages.delete(index));
    }

    @Override
    public void deleteLinks(Collection<Integer> indexes) throws LinuxNetException {
        for (int index : indexes) {
            unlessMissing(
                    "put link " + index + " into the group of those to be deleted",
                    LinkMessages.markForDeletion(index));
        }
        if (!indexes.isEmpty()) {
            unlessMissing("delete links " + indexes, LinkMessages.deleteMarked());
        }
    }

    @Override
    public void setUp(int index, boolean up) throws LinuxNetException {
        change("set link " + index + (up ? " up" : " down"), LinkMessages.setUp(index, up));
    }

    @Override
    public void setMaster(int index, int masterIndex) throws LinuxNetException {
        change("set master of link " + index + " to " + masterIndex, LinkMessages.setMaster(index, masterIndex));
    }

    @Override
    public void setMac(int index, MacAddress mac) throws LinuxNetException {
        change("set hardware address of link " + index + " to " + mac, LinkMessages.setMac(index, mac));
    }

    @Override
    public void setMtu(int index, int mtu) throws LinuxNetException {
        change("set mtu of link " + index + " to " + mtu, LinkMessages.setMtu(index, mtu));
    }

    @Override
    public void setHairpin(int index, boolean hairpin) throws LinuxNetException {
        change("set hairpin of link " + index + " to " + hairpin, LinkMessages.setHairpin(index, hairpin));
    }

    @Override
    public void setIsolated(int index, boolean isolated) throws LinuxNetException {
        change("set isolation of link " + index + " to " + isolated, LinkMessages.setIsolated(index, isolated));
    }

    @Override
    public void setAlias(int index, String alias) throws LinuxNetException {
        change("set alias of link " + index, LinkMessages.setAlias(index, alias));
    }

    @Override
    public void setPromiscuous(int index, boolean promiscuous) throws LinuxNetException {
        change(
                "set promiscuous mode of link " + index + " to " + promiscuous,
                LinkMessages.setPromiscuous(index, promiscuous));
    }

    @Override
    public void setVlanFiltering(int index, boolean filtering) throws LinuxNetException {
        change(
                "set vlan filtering of bridge " + index + " to " + filtering,
                LinkMessages.setVlanFiltering(index, filtering));
    }

    @Override
    public void setNetfilter(int index, boolean netfilter) throws LinuxNetException {
        String operation = "set netfilter of bridge " + index + " to " + netfilter;
        BridgeNetfilter.check(operation, netfilter);
        change(operation, LinkMessages.setNetfilter(index, netfilter));
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
    public List<Route> routes() throws LinuxNetException {
        return routes.list().stream().map(ListedRoute::route).toList();
    }

    @Override
    public List<ListedRoute> listedRoutes() throws LinuxNetException {
        return routes.list();
    }

    @Override
    public void addRoute(Route route) throws LinuxNetException {
        routes.add(route);
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
    public void replaceRoute(Route route) throws LinuxNetException {
        routes.replace(route);
    }

    @Override
    public void replaceRoute(Route route, RouteOptions options) throws LinuxNetException {
        routes.replace(route, options);
    }

    @Override
    public void deleteRoute(Route route) throws LinuxNetException {
        routes.delete(route);
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
        if (file.isEntered()) {
            return sysctls.read(checked);
        }
        return call(new NamespaceTask<String>() {
            @Override
            public String run() throws LinuxNetException {
                return sysctls.read(checked);
            }
        });
    }

    @Override
    public void setSysctl(String key, String value) throws LinuxNetException {
        setSysctls(Map.of(key, value));
    }

    @Override
    public void setSysctls(Map<String, String> settings) throws LinuxNetException {
        for (String key : settings.keySet()) {
            String unused = Sysctls.checkedKey(key);
        }
        if (file.isEntered()) {
            write(settings);
            return;
        }
        int unused = call(new NamespaceTask<Integer>() {
            @Override
            public Integer run() throws LinuxNetException {
                write(settings);
                return settings.size();
            }
        });
    }

    private void write(Map<String, String> settings) throws LinuxNetException {
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            sysctls.write(setting.getKey(), setting.getValue());
        }
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
    public Set<String> legacyTables(IpFamily family) throws LinuxNetException {
        return file.isEntered() ? LegacyTableNames.read(family) : call(() -> LegacyTableNames.read(family));
    }

    @Override
    public void nftApply(List<NftChange> changes) throws LinuxNetException {
        nft.apply(changes);
    }

    @Override
    public void close() {
        if (!keepsNft) {
            nft.close();
        }
        socket.close();
        file.close();
    }

    private void unlessMissing(String operation, NetlinkRequest request) throws LinuxNetException {
        try {
            change(operation, request);
        } catch (LinuxNetException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
    }

    private void change(String operation, NetlinkRequest request) throws LinuxNetException {
        List<NetlinkMessage> unused = socket.exchange(operation, request);
    }

    private Link created(String operation, String name) throws LinuxNetException {
        Optional<Link> link = link(name);
        if (link.isEmpty()) {
            throw new LinuxNetException(operation, Errno.ENODEV.number(), "deleted again meanwhile");
        }
        return link.get();
    }
}
