package dev.nodepath.emulator.page;

import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.cluster.PodView;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.page.PageRates;
import dev.nodepath.page.Picture;
import dev.nodepath.page.PicturedPod;
import dev.nodepath.page.Rate;
import dev.nodepath.page.Rates;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the traffic of the cluster's links, machine by machine. Its sockets stay open between two readings. */
final class RateReader implements PageRates, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RateReader.class);

    private final Cluster cluster;
    private final KernelLinuxNet net;
    private final Supplier<Picture> picture;
    private final InstantSource clock;
    private final Map<String, MachineLinks> machines = new HashMap<>();
    /** The machines that the log names as unreadable. */
    private final Set<String> unread = new HashSet<>();

    private Map<String, Traffic> before = Map.of();

    /**
     * Reads no link yet.
     *
     * @param picture the cluster as the page shows it
     */
    RateReader(Cluster cluster, KernelLinuxNet net, Supplier<Picture> picture, InstantSource clock) {
        this.cluster = cluster;
        this.net = net;
        this.picture = picture;
        this.clock = clock;
    }

    @Override
    public synchronized Rates read() {
        Map<String, Traffic> now = new HashMap<>();
        Picture shown = picture.get();
        Map<String, List<PicturedPod>> pods = shown.pods().stream()
                .filter(pod -> !pod.host() && !pod.addresses().isEmpty())
                .collect(Collectors.groupingBy(PicturedPod::node));
        for (NodeInfo node : cluster.topology().nodes()) {
            read(
                    "node:" + node.name(),
                    () -> cluster.node(node.name()),
                    pods.getOrDefault(node.name(), List.of()),
                    now);
        }
        read("client:" + shown.client().name(), cluster::client, List.of(), now);
        Map<String, Rate> rates = new HashMap<>();
        now.forEach((part, traffic) ->
                Optional.ofNullable(before.get(part)).flatMap(traffic::since).ifPresent(rate -> rates.put(part, rate)));
        before = now;
        return new Rates(clock.millis(), rates);
    }

    /** An unreadable machine, such as a node during its start, is left out. */
    private void read(
            String machine, Supplier<NetworkNamespace> namespace, List<PicturedPod> pods, Map<String, Traffic> found) {
        try {
            MachineLinks links = links(machine, namespace.get());
            links.read();
            links.ofUplink().ifPresent(traffic -> found.put(machine, traffic));
            for (PicturedPod pod : pods) {
                of(pod, links).ifPresent(traffic -> found.put("pod:" + pod.id(), traffic));
            }
            unread.remove(machine);
        } catch (LinuxNetException | RuntimeException e) {
            close(machine);
            if (unread.add(machine)) {
                LOG.atInfo()
                        .addKeyValue("part", machine)
                        .addKeyValue("problem", e.getMessage())
                        .log("page.rates_not_read");
            }
        }
    }

    private Optional<Traffic> of(PicturedPod pod, MachineLinks links) {
        try {
            return links.of(pod.id(), this::network);
        } catch (LinuxNetException | RuntimeException e) {
            // The machine is just coming or going.
            return Optional.empty();
        }
    }

    private NetworkNamespace network(String pod) {
        return cluster.podNetwork(PodView.keyOf(pod));
    }

    private MachineLinks links(String machine, NetworkNamespace namespace) throws LinuxNetException {
        MachineLinks known = machines.get(machine);
        if (known != null && known.areOf(namespace)) {
            return known;
        }
        close(machine);
        MachineLinks opened = MachineLinks.open(namespace, net);
        machines.put(machine, opened);
        return opened;
    }

    private void close(String machine) {
        MachineLinks links = machines.remove(machine);
        if (links != null) {
            links.close();
        }
    }

    /** An open socket would also keep the namespace of a node that has ended. */
    @Override
    public synchronized void rest() {
        machines.values().forEach(MachineLinks::close);
        machines.clear();
        before = Map.of();
    }

    @Override
    public void close() {
        rest();
    }
}
