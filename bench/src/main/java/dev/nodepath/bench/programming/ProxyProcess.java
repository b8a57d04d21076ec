package dev.nodepath.bench.programming;

import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.ProcessUsage;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.linux.LinuxNet;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A proxy that starts on a node without rules and follows an API server.
 *
 * @param startMillis from the start of the process until its rules are in force
 * @param startSeconds processor time of the process and its commands until then
 * @param endpointMillis from a changed slice until the endpoint in it answers
 * @param restartMillis from the start of the next process, with the rules of the first still there, until it has
 *     followed a change that was made between the two
 * @param residentBytes of the process after its start, its commands not counted
 */
record ProxyProcess(
        double startMillis, double startSeconds, double endpointMillis, double restartMillis, long residentBytes) {
    /**
     * kube-proxy makes no second sync within a second, so a change right after the first sync would wait for that
     * second. Meanwhile the JVM gives back the memory of the first sync.
     */
    private static final int SETTLE_MILLIS = 1500;

    private static final int FIRST = 1;
    private static final int CHANGED = 2;
    private static final int ADDED = 3;

    static ProxyProcess measure(LinuxNet net, Contender contender, Programs programs, int services)
            throws IOException, InterruptedException {
        try (FollowedNode node = new FollowedNode(net, contender, programs, services, ProgrammingSizes.ENDPOINTS)) {
            node.putProbe(FIRST, true);
            node.putProbe(CHANGED, false);
            long start = System.nanoTime();
            Process first = node.start();
            double started = node.millisUntilAnswered(first, FIRST, start);
            double used = ProcessUsage.of(List.of(first)).cpuSeconds();
            TimeUnit.MILLISECONDS.sleep(SETTLE_MILLIS);
            long resident = ProcessUsage.of(List.of(first)).residentBytes();
            long changed = System.nanoTime();
            node.putProbeSlice(CHANGED, true);
            double endpoint = node.millisUntilAnswered(first, CHANGED, changed);
            node.end(first);
            node.putProbe(ADDED, true);
            long again = System.nanoTime();
            double restarted = node.millisUntilAnswered(node.start(), ADDED, again);
            return new ProxyProcess(started, used, endpoint, restarted, resident);
        }
    }
}
