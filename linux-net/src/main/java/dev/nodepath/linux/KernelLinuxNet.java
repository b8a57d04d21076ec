package dev.nodepath.linux;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.conntrack.KernelConntrack;
import dev.nodepath.linux.conntrack.KernelPacketCounters;
import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.io.Descriptor;
import dev.nodepath.linux.io.FileLock;
import dev.nodepath.linux.io.UnixListener;
import dev.nodepath.linux.link.KernelLinkCounters;
import dev.nodepath.linux.link.LinkCounters;
import dev.nodepath.linux.namespace.KernelNamespace;
import dev.nodepath.linux.namespace.LegacyTables;
import dev.nodepath.linux.namespace.NamedNamespaces;
import dev.nodepath.linux.namespace.NamespaceFile;
import dev.nodepath.linux.namespace.NamespaceSockets;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.netlink.KeptSockets;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.nftables.KernelNft;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.PacketTrace;
import dev.nodepath.linux.packet.PacketCapture;
import dev.nodepath.linux.packet.PacketLog;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The Linux kernel, over netlink and a few system calls through JNR-FFI. Reading needs no privileges; changes need
 * CAP_NET_ADMIN in the namespace that they are made in, entering and creating namespaces CAP_SYS_ADMIN.
 *
 * <p>Making the first instance of a process binds the C library, which takes some tens of milliseconds.
 */
public final class KernelLinuxNet implements LinuxNet {
    /** Shared by all instances, because an instance is never closed. */
    private static final KeptSockets ROUTES_OF_PROCESS =
            new KeptSockets(() -> openOfProcess(Syscalls.load(), NetlinkSocket.ROUTE));

    private final Syscalls syscalls;
    private final NamedNamespaces named;
    private final Optional<Path> current;
    /** Stays open until the process ends, because each close waits, see {@link KernelNft}. */
    private final KernelNft nftOfProcess;

    /**
     * Binds the C library.
     *
     * @throws UnsupportedOperationException on a processor other than x86-64 and ARM64
     */
    public KernelLinuxNet() {
        this(Syscalls.load(), Optional.empty());
    }

    private KernelLinuxNet(Syscalls syscalls, Optional<Path> current) {
        this.syscalls = syscalls;
        this.named = new NamedNamespaces(syscalls);
        this.current = current;
        this.nftOfProcess = new KernelNft(() -> openOfProcess(syscalls, NetlinkSocket.NETFILTER));
    }

    /** The same kernel with another namespace as {@link #current}, instead of the process's. */
    public KernelLinuxNet within(Path namespace) {
        return new KernelLinuxNet(syscalls, Optional.of(namespace));
    }

    /**
     * Makes a namespace without a name. It goes when nothing uses it any more, and at the latest with this process.
     *
     * @throws LinuxNetException EPERM without CAP_SYS_ADMIN
     */
    public Descriptor createUnnamed() throws LinuxNetException {
        return NamespaceFile.createUnnamed(syscalls);
    }

    /**
     * Takes the exclusive {@code flock(2)} of a file without waiting. It excludes other programs, and other threads of
     * this program. Java's own file locks are of another kind and exclude neither.
     *
     * @param file made with mode 0600 if it is missing; its directory must exist
     * @return empty if somebody else holds the lock
     */
    public Optional<FileLock> tryLock(Path file) throws LinuxNetException {
        return FileLock.tryAcquire(syscalls, file);
    }

    /**
     * The nf_tables of the namespace that the calling thread is in; any thread may use them then. They have a socket of
     * their own, which is opened when it is first needed. The caller closes the result.
     *
     * @throws LinuxNetException EMFILE if the process has no descriptors left
     */
    public NftTables nftTables() throws LinuxNetException {
        NamespaceFile file = NamespaceFile.ofThread(syscalls);
        return new KernelNft(
                () -> NamespaceSockets.open(syscalls, file, NetlinkSocket.NETFILTER),
                () -> NamespaceSockets.openGroups(syscalls, file, NetlinkSocket.NETFILTER, KernelNft.ANNOUNCEMENTS),
                file::close);
    }

    /**
     * Opens the trace of packets of the namespace that the calling thread is in; any thread may read it then. It
     * reports packets that a rule has chosen, see {@link NftStatement.TraceOn}. The caller closes the result.
     *
     * @throws LinuxNetException if no netlink socket can be opened
     */
    public PacketTrace packetTrace() throws LinuxNetException {
        return PacketTrace.open(syscalls);
    }

    /**
     * Opens a capture of packets on all links of the namespace that the calling thread is in; any thread may read it
     * then. It sees first packets of connections, see {@link PacketCapture}. The caller closes the result.
     *
     * @throws LinuxNetException EPERM without CAP_NET_RAW
     */
    public PacketCapture packetCapture() throws LinuxNetException {
        return PacketCapture.open(syscalls);
    }

    /**
     * Listens to the packets that rules tell a group of, in the namespace that the calling thread is in; any thread may
     * read them then. The caller closes the result.
     *
     * @throws LinuxNetException EBUSY if the group has a listener
     */
    public PacketLog packetLog(int group) throws LinuxNetException {
        return PacketLog.open(syscalls, group);
    }

    /**
     * Opens the sizes of the legacy tables of one family in the namespace that the calling thread is in; any thread
     * may read them then.
     *
     * @throws LinuxNetException EPERM without CAP_NET_RAW
     */
    public LegacyTables legacyTables(IpFamily family) throws LinuxNetException {
        return LegacyTables.open(syscalls, family);
    }

    /**
     * Opens the connection tracking of the namespace that the calling thread is in; any thread may use it then.
     *
     * @throws LinuxNetException if no netlink socket can be opened
     */
    public Conntrack conntrack() throws LinuxNetException {
        return KernelConntrack.open(syscalls);
    }

    /**
     * Opens the counters of the links of the namespace that the calling thread is in; any thread may read them then.
     * The caller closes the result.
     *
     * @throws LinuxNetException if no netlink socket can be opened
     */
    public LinkCounters linkCounters() throws LinuxNetException {
        return KernelLinkCounters.open(syscalls);
    }

    /**
     * Opens the packet counters of the namespace that the calling thread is in. The caller closes the result.
     *
     * @throws LinuxNetException if no netlink socket can be opened
     */
    public PacketCounters packetCounters() throws LinuxNetException {
        return KernelPacketCounters.open(syscalls);
    }

    /**
     * Listens at a unix socket that only this process's user may open. It replaces the file at that path.
     *
     * @param backlog how many connections may wait to be accepted; others wait to connect, or give up
     */
    public UnixListener listen(Path path, int backlog) throws IOException {
        return UnixListener.open(syscalls, path, backlog);
    }

    /** The user ID that this process acts as. */
    public int effectiveUser() {
        return syscalls.effectiveUser();
    }

    @Override
    public NetworkNamespace current() throws LinuxNetException {
        return current.isPresent()
                ? open(current.get())
                : KernelNamespace.ofProcess(syscalls, ROUTES_OF_PROCESS, nftOfProcess);
    }

    private static NetlinkSocket openOfProcess(Syscalls syscalls, int protocol) throws LinuxNetException {
        try (NamespaceFile file = NamespaceFile.ofProcess(syscalls)) {
            return NamespaceSockets.open(syscalls, file, protocol);
        }
    }

    @Override
    public NetworkNamespace open(Path path) throws LinuxNetException {
        return KernelNamespace.open(syscalls, NamespaceFile.open(syscalls, path));
    }

    @Override
    public NetworkNamespace openNamed(String name) throws LinuxNetException {
        return open(path(name));
    }

    @Override
    public NetworkNamespace create(String name) throws LinuxNetException {
        return named.create(name);
    }

    @Override
    public void delete(String name) throws LinuxNetException {
        named.delete(name);
    }

    @Override
    public Path path(String name) {
        return NamedNamespaces.path(name);
    }
}
