package dev.nodepath.bench.policy;

import dev.nodepath.bench.suite.Outcome;
import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.bench.testbed.Tools;
import dev.nodepath.emulator.cluster.BridgeNetfilterCheck;
import dev.nodepath.report.SuiteResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One run of the {@link PolicySuite}. */
final class PolicyRun {
    /** An agent with {@code --network-policy=false}. */
    static final String WITHOUT = "without";

    /** An agent that enforces policies. */
    static final String WITH = "with";

    private final Programs programs;
    private final Path plugin;
    private final SuiteSettings settings;
    private final PolicySizes sizes;
    private final Recorder recorder = new Recorder(WITHOUT);
    private final List<String> failures = new ArrayList<>();

    /**
     * A run.
     *
     * @param plugin the CNI plugin's client
     */
    PolicyRun(Programs programs, Path plugin, SuiteSettings settings, PolicySizes sizes) {
        this.programs = programs;
        this.plugin = plugin;
        this.settings = settings;
        this.sizes = sizes;
    }

    /** A part of the suite, with nodes of its own. */
    interface Part {
        /**
         * Measures all rounds.
         *
         * @param keep puts the results so far into the report; to be called after each round
         * @return what failed
         */
        List<String> measure(Runnable keep) throws IOException, InterruptedException;
    }

    SuiteResult run() throws IOException, InterruptedException {
        Tools.require();
        BridgeNetfilterCheck.require();
        for (Part part : List.of(
                new AddedPods(programs, plugin, settings, sizes, recorder),
                new LargeCluster(programs, settings, sizes, recorder),
                new PolicedLoads(programs, settings, sizes, recorder))) {
            failures.addAll(part.measure(() -> settings.keep(result())));
        }
        return result();
    }

    private SuiteResult result() {
        List<String> notes = new ArrayList<>(failures);
        notes.add("A change is in force when the server gets a datagram of the client no more, or gets one again. The"
                + " client sends about every " + Datagrams.INTERVAL_MICROS + " us. Times begin before the object is"
                + " written into the API server.");
        notes.add("Loads go to a Service, through a proxy in nftables mode, whose connections are tracked with and"
                + " without policies. Of " + PolicedLoads.OF_THE_SERVER_MAX + " policies or more, as many are the"
                + " server's, and only the last one allows the client.");
        return Outcome.of("policy", recorder.figures(), List.of(), notes, settings);
    }
}
