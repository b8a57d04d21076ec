package dev.nodepath.linux.conntrack;

import dev.nodepath.linux.netlink.NetlinkRequest;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The kernel's connection tracking, over a socket that stays in the namespace where it was opened. */
public final class KernelConntrack implements Conntrack {
    private final NetlinkSocket socket;

    private KernelConntrack(NetlinkSocket socket) {
        this.socket = socket;
    }

    /** Opens a netlink socket in the network namespace of the calling thread. */
    public static KernelConntrack open(Syscalls syscalls) throws LinuxNetException {
        return new KernelConntrack(NetlinkSocket.open(syscalls, NetlinkSocket.NETFILTER));
    }

    @Override
    public List<ConntrackFlow> find(FlowFilter filter, Predicate<ConntrackFlow> wanted) throws LinuxNetException {
        return find(
                "list " + filter.family() + " flows",
                ConntrackMessages.list(filter),
                flow -> filter.accepts(flow) && wanted.test(flow));
    }

    @Override
    public List<ConntrackFlow> findAmongAll(Predicate<ConntrackFlow> wanted) throws LinuxNetException {
        return find("list flows", ConntrackMessages.listAll(), wanted);
    }

    private List<ConntrackFlow> find(String operation, NetlinkRequest request, Predicate<ConntrackFlow> wanted)
            throws LinuxNetException {
        List<ConntrackFlow> found = new ArrayList<>();
        socket.stream(operation, request, message -> {
            ConntrackFlow flow = ConntrackMessages.read(message);
            if (flow != null && found.size() < FOUND_MAX && wanted.test(flow)) {
                found.add(flow);
            }
        });
        return found;
    }

    @Override
    public Optional<ConntrackFlow> get(int protocol, ConntrackFlow.Tuple original) throws LinuxNetException {
        try {
            return socket.exchange("read flow " + original, ConntrackMessages.get(protocol, original)).stream()
                    .flatMap(message -> Optional.ofNullable(ConntrackMessages.read(message)).stream())
                    .filter(flow -> flow.original().equals(original))
                    .findFirst();
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.ENOENT) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public int delete(List<ConntrackFlow> flows) throws LinuxNetException {
        int removed = 0;
        @Nullable LinuxNetException refusal = null;
        for (int from = 0; from < flows.size(); from += NetlinkSocket.BATCH_MAX) {
            List<ConntrackFlow> part = flows.subList(from, Math.min(flows.size(), from + NetlinkSocket.BATCH_MAX));
            List<Integer> errors = socket.batch(
                    "delete flows", part.stream().map(ConntrackMessages::delete).toList());
            for (int i = 0; i < part.size(); i++) {
                if (errors.get(i) == 0) {
                    removed++;
                } else if (errors.get(i) != Errno.ENOENT.number()) {
                    refusal = new LinuxNetException("delete flow " + part.get(i), errors.get(i), "");
                }
            }
        }
        if (refusal != null) {
            throw refusal;
        }
        return removed;
    }

    @Override
    public void close() {
        socket.close();
    }
}
