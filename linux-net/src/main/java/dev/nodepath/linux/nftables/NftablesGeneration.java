package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.util.List;

/**
 * The generation counter of nf_tables. Every transaction of any program that changes a table of the namespace raises it
 * by one. It stays in the namespace where it was opened.
 */
public final class NftablesGeneration implements AutoCloseable {
    private static final String OPERATION = "read nf_tables generation";

    private final NetlinkSocket socket;

    private NftablesGeneration(NetlinkSocket socket) {
        this.socket = socket;
    }

    public static NftablesGeneration open(Syscalls syscalls) throws LinuxNetException {
        return new NftablesGeneration(NetlinkSocket.open(syscalls, NetlinkSocket.NETFILTER));
    }

    /**
     * The current generation. It wraps around at 32 bits.
     *
     * @throws LinuxNetException EPERM without CAP_NET_ADMIN, EINVAL if the kernel has no nf_tables
     */
    public int read() throws LinuxNetException {
        List<NetlinkMessage> answer = socket.exchange(OPERATION, NftablesMessages.getGeneration());
        if (answer.isEmpty()) {
            throw new LinuxNetException(OPERATION, Errno.EIO.number(), "no number in the answer");
        }
        return NftablesMessages.generation(answer.get(0));
    }

    @Override
    public void close() {
        socket.close();
    }
}
