package dev.nodepath.proxy.userspace;

import java.lang.management.ManagementFactory;
import java.util.function.LongUnaryOperator;

/** What the event loops of this process have used since they began. */
final class RelayThreads {
    private RelayThreads() {}

    static long allocatedBytes() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        return sum(threads::getThreadAllocatedBytes);
    }

    static long cpuNanos() {
        return sum(ManagementFactory.getThreadMXBean()::getThreadCpuTime);
    }

    private static long sum(LongUnaryOperator ofThread) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("relay-"))
                .mapToLong(Thread::getId)
                .map(ofThread)
                .sum();
    }
}
