package dev.nodepath.proxy.userspace;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waiting for what must become true. */
public final class TestConditions {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private TestConditions() {}

    public static void await(String what, Callable<Boolean> condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        try {
            while (!condition.call()) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("not within " + LIMIT.toSeconds() + " s: " + what);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
            }
        } catch (AssertionError e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(what, e);
        }
    }

    /** Opens and closes sockets, so that what Netty and the JDK open once for good is open. */
    static void touchSockets() throws IOException {
        try (Backend backend = Backend.echo();
                Socket client = new Socket(
                        InetAddress.getLoopbackAddress(), backend.endpoint().port())) {
            await("backend has accepted " + client, () -> backend.connections() == 1);
        }
        MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        loops.submit(() -> {}).syncUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
