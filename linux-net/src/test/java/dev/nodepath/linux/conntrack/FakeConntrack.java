package dev.nodepath.linux.conntrack;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Tracked flows in memory. The same test cases run against it and against the kernel. */
public final class FakeConntrack implements Conntrack {
    private final List<ConntrackFlow> flows = new ArrayList<>();
    private final List<String> listings = new ArrayList<>();
    private Errno failure = Errno.UNKNOWN;

    /** Begins to track a flow. */
    public void add(ConntrackFlow flow) {
        flows.add(flow);
    }

    /** The present flows. */
    public List<ConntrackFlow> flows() {
        return List.copyOf(flows);
    }

    /** Which lists were asked for, such as {@code IPv4 17} or {@code IPv4 6 to 10.96.0.10 unanswered}. */
    public List<String> listings() {
        return listings;
    }

    /** Makes every call fail from now on; UNKNOWN ends that. */
    public void fail(Errno errno) {
        failure = errno;
    }

    @Override
    public List<ConntrackFlow> find(FlowFilter filter, Predicate<ConntrackFlow> wanted) throws LinuxNetException {
        orFail("list " + filter.family() + " flows");
        listings.add(filter.toString());
        return flows.stream()
                .filter(filter::accepts)
                .filter(wanted)
                .limit(FOUND_MAX)
                .toList();
    }

    @Override
    public List<ConntrackFlow> findAmongAll(Predicate<ConntrackFlow> wanted) throws LinuxNetException {
        orFail("list flows");
        listings.add("all");
        return flows.stream().filter(wanted).limit(FOUND_MAX).toList();
    }

    @Override
    public Optional<ConntrackFlow> get(int protocol, ConntrackFlow.Tuple original) throws LinuxNetException {
        orFail("read flow " + original);
        return flows.stream()
                .filter(flow -> flow.protocol() == protocol && flow.original().equals(original))
                .findFirst();
    }

    @Override
    public int delete(List<ConntrackFlow> gone) throws LinuxNetException {
        orFail("delete flows");
        int before = flows.size();
        flows.removeAll(new HashSet<>(gone));
        return before - flows.size();
    }

    @Override
    public void close() {}

    private void orFail(String operation) throws LinuxNetException {
        if (failure != Errno.UNKNOWN) {
            throw new LinuxNetException(operation, failure.number(), "injected");
        }
    }
}
