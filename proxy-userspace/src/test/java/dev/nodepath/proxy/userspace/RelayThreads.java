package dev.nodepath.proxy.userspace;

import io.netty.channel.IoEventLoop;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongUnaryOperator;

/** The event loops of this process: their processor time, and a way to end one. */
public final class RelayThreads {
    private RelayThreads() {}

    /** Ends an event loop within a task, like a fault: it closes nothing. */
    public static void end(IoEventLoop loop) {
        AtomicReference<Object> ended = new AtomicReference<>();
        loop.execute(() -> ended.set(loop.shutdownGracefully(0, 1, TimeUnit.SECONDS)));
        loop.terminationFuture().syncUninterruptibly();
    }

    public static long allocatedBytes() {
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
