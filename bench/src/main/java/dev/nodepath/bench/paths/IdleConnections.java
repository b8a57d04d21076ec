package dev.nodepath.bench.paths;

import dev.nodepath.bench.testbed.ContenderAddress;
import dev.nodepath.bench.testbed.ProcessUsage;
import dev.nodepath.bench.testbed.RunningContender;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures by how much each idle connection makes a proxy's memory grow. A JVM's garbage is collected before and after:
 * else connections would seem to cost nothing while its heap has room, or the garbage of accepting them too.
 */
final class IdleConnections {
    /** The descriptors that a proxy needs for other uses. Each connection takes two more. */
    private static final int OTHER_DESCRIPTORS = 1000;

    /** A tenth of the connections is opened beforehand, so that the code for them is loaded. */
    private static final int WARM_UP_SHARE = 10;

    private static final Pattern LIMIT = Pattern.compile("Max open files\\s+\\d+\\s+(\\d+)");
    /** If the process's memory has not grown for this long, it has accepted all connections. */
    private static final long SETTLED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long SETTLED_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private IdleConnections() {}

    /** The wanted number of connections, or as many as the inherited limit of descriptors allows. */
    static int possible(int wanted) throws IOException {
        Matcher limit = LIMIT.matcher(Files.readString(Path.of("/proc/self/limits")));
        return limit.find() ? (int) Math.min(wanted, (Long.parseLong(limit.group(1)) - OTHER_DESCRIPTORS) / 2) : wanted;
    }

    /**
     * Opens connections through a contender and closes them again. Returns how many bytes its memory grew for each.
     *
     * @throws IOException if they cannot be opened, the contender has no process, or its heap cannot be trimmed
     */
    static double bytesEach(RunningContender contender, int connections) throws IOException, InterruptedException {
        List<SocketChannel> open = new ArrayList<>();
        try {
            open(contender, connections / WARM_UP_SHARE, open);
            close(open);
            long before = trimmed(contender);
            open(contender, connections, open);
            return (double) (trimmed(contender) - before) / connections;
        } finally {
            close(open);
        }
    }

    private static void open(RunningContender contender, int connections, List<SocketChannel> open) throws IOException {
        ContenderAddress way = contender.way();
        InetSocketAddress target = way.to(way.http());
        contender.lane().client().call(() -> {
            for (int i = 0; i < connections; i++) {
                open.add(SocketChannel.open(target));
            }
            return open.size();
        });
    }

    private static void close(List<SocketChannel> open) throws IOException {
        for (SocketChannel channel : open) {
            channel.close();
        }
        open.clear();
    }

    private static long trimmed(RunningContender contender) throws IOException, InterruptedException {
        settled(contender);
        contender.trimHeap();
        return settled(contender);
    }

    private static long settled(RunningContender contender) throws IOException {
        long start = System.nanoTime();
        long last = resident(contender);
        long since = start;
        while (System.nanoTime() - since < SETTLED_NANOS && System.nanoTime() - start < SETTLED_NANOS_MAX) {
            LockSupport.parkNanos(POLL_NANOS);
            long now = resident(contender);
            if (now != last) {
                last = now;
                since = System.nanoTime();
            }
        }
        return last;
    }

    private static long resident(RunningContender contender) throws IOException {
        return contender
                .usage()
                .map(ProcessUsage::residentBytes)
                .orElseThrow(() -> new IOException(contender + ": has no process"));
    }
}
