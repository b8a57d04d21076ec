package dev.nodepath.linux;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** An opened namespace of the kernel: its file and a netlink socket that was opened inside it. */
final class KernelNamespace implements NetworkNamespace {
    private static final int LINK_NAME_BYTES_MAX = 15;
    private static final Path BRIDGE_NETFILTER = Path.of("/proc/sys/net/bridge/bridge-nf-call-iptables");

    private final Syscalls syscalls;
    private final NamespaceFile file;
    private final NetlinkSocket socket;
    private final Sysctls sysctls;

    private KernelNamespace(Syscalls syscalls, NamespaceFile file, NetlinkSocket socket) {
        this.syscalls = syscalls;
        this.file = file;
        this.socket = socket;
        this.sysctls = new Sysctls(syscalls);
    }

    /** Opens the socket on a thread inside the namespace. Takes over the file, whose end it is if that fails. */
    static KernelNamespace open(Syscalls syscalls, NamespaceFile file) throws LinuxNetException {
        boolean done = false;
        try {
            NetlinkSocket socket = file.isEntered() ? NetlinkSocket.open(syscalls) : openInside(syscalls, file);
            done = true;
            return new KernelNamespace(syscalls, file, socket);
        } finally {
            if (!done) {
                file.close();
            }
        }
    }

    private static NetlinkSocket openInside(Syscalls syscalls, NamespaceFile file) throws LinuxNetException {
        return NamespaceThread.run("netns " + file.name(), new NamespaceTask<NetlinkSocket>() {
            @Override
            public NetlinkSocket run() throws LinuxNetException {
                file.enter();
                return NetlinkSocket.open(syscalls);
            }
        });
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
        if (name.isEmpty() || name.indexOf('\0') >= 0 || isTooLong(name)) {
            return Optional.empty();
        }
        try {
            List<NetlinkMessage> found = socket.exchange("find link " + name, LinkMessages.find(name));
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
        String operation = "create bridge " + spec.name();
        checkNewName(operation, spec.name());
        if (spec.netfilter() && !Files.exists(BRIDGE_NETFILTER)) {
            // Without the module the kernel takes the setting and ignores it.
            throw new LinuxNetException(operation, Errno.EOPNOTSUPP.number(), "netfilter: br_netfilter is not loaded");
        }
        change(operation, LinkMessages.createBridge(spec));
        return created(operation, spec.name());
    }

    @Override
    public Link createVeth(VethSpec spec) throws LinuxNetException {
        String operation = "create veth " + spec.name() + " with peer " + spec.peerName();
        checkNewName(operation, spec.name());
        checkNewName(operation, spec.peerName());
        if (!(spec.peerNamespace() instanceof KernelNamespace peer)) {
            throw new IllegalArgumentException(
                    "peerNamespace: " + spec.peerNamespace() + " (expected: one of the kernel)");
        }
        int peerFd = peer.file.duplicate();
        try {
            change(operation, LinkMessages.createVeth(spec, peerFd));
        } finally {
            long unused = syscalls.close(peerFd);
        }
        return created(operation, spec.name());
    }

    @Override
    public void deleteLink(int index) throws LinuxNetException {
        change("delete link " + index, LinkMessages.delete(index));
    }

    @Override
    public void deleteLinks(Collection<Integer> indexes) throws LinuxNetException {
        for (int index : indexes) {
            unlessMissing("put link " + index + " into the group of those to be deleted", LinkMessages.doom(index));
        }
        if (!indexes.isEmpty()) {
            unlessMissing("delete links " + indexes, LinkMessages.deleteDoomed());
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
    public void setMtu(int index, int mtu) throws LinuxNetException {
        change("set mtu of link " + index + " to " + mtu, LinkMessages.setMtu(index, mtu));
    }

    @Override
    public void setHairpin(int index, boolean hairpin) throws LinuxNetException {
        change("set hairpin of link " + index + " to " + hairpin, LinkMessages.setHairpin(index, hairpin));
    }

    @Override
    public List<InterfaceAddress> addresses() throws LinuxNetException {
        List<InterfaceAddress> addresses = new ArrayList<>();
        for (NetlinkMessage message : socket.exchange("list addresses", AddressMessages.list())) {
            InterfaceAddress address = AddressMessages.read(message);
            if (address != null) {
                addresses.add(address);
            }
        }
        return addresses;
    }

    @Override
    public void addAddress(int index, Cidr address) throws LinuxNetException {
        change("add address " + address + " to link " + index, AddressMessages.add(index, address));
    }

    @Override
    public void deleteAddress(int index, Cidr address) throws LinuxNetException {
        change("delete address " + address + " from link " + index, AddressMessages.delete(index, address));
    }

    @Override
    public List<Route> routes() throws LinuxNetException {
        List<Route> routes = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            for (NetlinkMessage message : socket.exchange("list routes", RouteMessages.list(family))) {
                routes.addAll(RouteMessages.read(message, family));
            }
        }
        return routes;
    }

    @Override
    public void addRoute(Route route) throws LinuxNetException {
        change(describe("add route", route), RouteMessages.add(route));
    }

    @Override
    public void replaceRoute(Route route) throws LinuxNetException {
        change(describe("replace route", route), RouteMessages.replace(route));
    }

    @Override
    public void deleteRoute(Route route) throws LinuxNetException {
        change(describe("delete route", route), RouteMessages.delete(route));
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
        String checked = Sysctls.checkedKey(key);
        if (file.isEntered()) {
            sysctls.write(checked, value);
            return;
        }
        String unused = call(new NamespaceTask<String>() {
            @Override
            public String run() throws LinuxNetException {
                sysctls.write(checked, value);
                return value;
            }
        });
    }

    @Override
    public void close() {
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

    private static String describe(String verb, Route route) throws LinuxNetException {
        String operation = verb + " " + route.destination()
                + (route.gateway().isPresent() ? " via " + route.gateway().get() : "")
                + (route.linkIndex() == 0 ? "" : " on link " + route.linkIndex());
        IpFamily family = route.destination().family();
        if (route.gateway().isPresent() && route.gateway().get().family() != family) {
            throw new LinuxNetException(operation, Errno.EINVAL.number(), "gateway is no " + family + " address");
        }
        return operation;
    }

    /** What the kernel would not refuse but bend: it makes up a name for an empty one, and cuts one at a zero byte. */
    private static void checkNewName(String operation, String name) throws LinuxNetException {
        if (name.isEmpty() || name.indexOf('%') >= 0 || name.indexOf('\0') >= 0) {
            throw new LinuxNetException(
                    operation, Errno.EINVAL.number(), "name: \"" + name + "\" (expected: a whole name)");
        }
        if (isTooLong(name)) {
            throw new LinuxNetException(
                    operation, Errno.ERANGE.number(), "name: \"" + name + "\" (expected: at most 15 bytes)");
        }
    }

    private static boolean isTooLong(String name) {
        return name.getBytes(StandardCharsets.UTF_8).length > LINK_NAME_BYTES_MAX;
    }

    private Link created(String operation, String name) throws LinuxNetException {
        Optional<Link> link = link(name);
        if (link.isEmpty()) {
            throw new LinuxNetException(operation, Errno.ENODEV.number(), "deleted again meanwhile");
        }
        return link.get();
    }
}
