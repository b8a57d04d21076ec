package dev.nodepath.linux.namespace;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.io.Descriptor;
import dev.nodepath.linux.link.KernelLinks;
import dev.nodepath.linux.link.Link;
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
import dev.nodepath.linux.route.NeighbourTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** An opened namespace of the kernel: its file and a netlink socket that was opened inside it. */
public final class KernelNamespace implements NetworkNamespace, KernelLinks, KernelRoutes {
    private final Syscalls syscalls;
    private final NamespaceFile file;
    private final Sysctls sysctls;
    private final NetlinkSocket socket;
    private final NeighbourTables neighbours;
    private final KernelNft nft;
    private final Runnable release;

    private KernelNamespace(
            Syscalls syscalls, NamespaceFile file, NetlinkSocket socket, KernelNft nft, Runnable release) {
        this.syscalls = syscalls;
        this.file = file;
        this.sysctls = new Sysctls(syscalls);
        this.socket = socket;
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
    public NetlinkSocket socket() {
        return socket;
    }

    @Override
    public <T> T call(NamespaceTask<T> task) throws LinuxNetException {
        return file.onOwnThread(task);
    }

    @Override
    public Link createVeth(VethSpec spec) throws LinuxNetException {
        if (!(spec.peerNamespace() instanceof KernelNamespace peer)) {
            throw new IllegalArgumentException(
                    "peerNamespace: " + spec.peerNamespace() + " (expected: one of the kernel)");
        }
        try (Descriptor peerNamespace = peer.file.duplicate()) {
            return createVeth(spec.name(), spec.mac(), spec.mtu(), spec.peerName(), peerNamespace);
        }
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
