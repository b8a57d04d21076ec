package dev.nodepath.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.emulator.cluster.BridgeNetfilterCheck;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.cluster.StatusFile;
import dev.nodepath.emulator.cluster.Topology;
import dev.nodepath.emulator.cluster.TopologyException;
import dev.nodepath.emulator.compare.Progress;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.enclosure.JavaCommand;
import dev.nodepath.emulator.enclosure.Lifeline;
import dev.nodepath.emulator.kubelet.ControlGroups;
import dev.nodepath.emulator.kubelet.Overlays;
import dev.nodepath.emulator.page.ClusterPage;
import dev.nodepath.emulator.traffic.Greeting;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Runs a cluster inside the enclosure until a signal. Not for people: {@code nodepath up} starts it. */
@Command(name = EnclosedClusterCommand.NAME, hidden = true)
final class EnclosedClusterCommand implements Callable<Integer> {
    static final String NAME = "enclosed-cluster";

    private static final Logger LOG = LoggerFactory.getLogger(EnclosedClusterCommand.class);
    /** The line of output when the cluster is ready. */
    static final String READY = "nodepath-cluster-ready";

    private static final long STATUS_MILLIS = 500;
    /** The time limit for an answer to the example of {@code exec}. */
    private static final Duration EXAMPLE_MAX = Duration.ofMillis(500);

    @Mixin
    private final UpOptions options = new UpOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException, TopologyException {
        Enclosure.requireInside();
        Lifeline.hold();
        PrintWriter out = spec.commandLine().getOut();
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch stop = stopOnSignal(ended);
        BridgeNetfilterCheck.require();
        Topology topology = options.topology(Enclosure.RUN);
        KernelLinuxNet net = new KernelLinuxNet();
        Progress progress = new Progress(out);
        try (Cluster cluster = Cluster.start(
                        topology,
                        net,
                        JavaCommand.ofThisProcess(),
                        Enclosure.RUN,
                        Optional.of(options.mode()),
                        options.keepsClientAddress());
                ClusterPage page = new ClusterPage(cluster, net, Enclosure.RUN)) {
            int nodes = topology.nodes().size();
            progress.say(nodes + (nodes == 1 ? " node is up" : " nodes are up"));
            if (!Overlays.areHere()) {
                progress.say("this kernel gives containers no overlay: they read the machine's files, and write to"
                        + " folders in memory such as /tmp, /var/lib and a copy of /etc");
            }
            if (!ControlGroups.areHere()) {
                progress.say("no control groups can be made here: each process of a container has the container's limit"
                        + " of memory and 256 MiB more, and limits of cpu do not hold");
            }
            List<String> notReady = cluster.notReady(progress::say);
            int pods = cluster.pods().size();
            progress.say(pods - notReady.size() + " of " + pods + " pods are ready");
            notReady.forEach(progress::say);
            cluster.awaitProgrammed(cluster.lastTrigger());
            progress.say("proxies in mode " + options.mode() + " have synced");
            StatusFile status = new StatusFile(cluster);
            status.update();
            page.awaitReaders();
            writeExample(cluster, topology.nodes().get(0).name());
            out.println(READY);
            out.flush();
            boolean written = true;
            while (!stop.await(STATUS_MILLIS, TimeUnit.MILLISECONDS)) {
                written = update(status, written);
            }
            cluster.removePods();
        } finally {
            ended.countDown();
        }
        return 0;
    }

    /** A failure does not end the cluster: a full folder, or many connections, may leave no room for a file. */
    private static boolean update(StatusFile status, boolean before) {
        try {
            status.update();
            return true;
        } catch (IOException e) {
            if (before) {
                LOG.atWarn().addKeyValue("problem", e.getMessage()).log("status.not_written");
            }
            return false;
        }
    }

    private static void writeExample(Cluster cluster, String node) throws IOException {
        List<ObjectNode> pods = cluster.api().list(Resources.PODS, "").objects();
        List<ObjectNode> services = cluster.api().list(Resources.SERVICES, "").objects();
        ExecExample example = ExecExample.of(
                pods, services, node, (pod, address, port) -> answers(cluster, ObjectKey.of(pod), address, port));
        Files.writeString(Enclosure.RUN.resolve(ClusterFiles.EXAMPLE), example.json());
    }

    private static boolean answers(Cluster cluster, ObjectKey pod, String address, int port) throws IOException {
        InetSocketAddress target =
                new InetSocketAddress(IpAddress.parse(address).toInetAddress(), port);
        try {
            return cluster.podNetwork(pod).call(() -> Greeting.status(target, "GET", "/", EXAMPLE_MAX)) > 0;
        } catch (IllegalArgumentException e) {
            // The Pod has ended since the cluster was ready.
            return false;
        }
    }

    /** A signal asks the cluster to end in order, and the process waits until it has. */
    private static CountDownLatch stopOnSignal(CountDownLatch ended) {
        CountDownLatch stop = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            stop.countDown();
                            try {
                                ended.await(DownCommand.STOP_MAX.toSeconds(), TimeUnit.SECONDS);
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        },
                        "stop"));
        return stop;
    }
}
