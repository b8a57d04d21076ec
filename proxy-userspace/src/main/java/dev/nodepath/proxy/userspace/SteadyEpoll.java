package dev.nodepath.proxy.userspace;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;

/**
 * Netty's epoll handler, with sockets that stay in the epoll set while nothing is expected of them.
 *
 * <p>Since netty/netty#16689 such a socket is taken out of the set, but not put in again when something is expected
 * later (seen in 4.2.18: {@code epoll_ctl} fails with ENOENT). A client that has ended its stream and is slow to read
 * the answer is such a socket, and would be broken off. Here it stays in the set, edge-triggered: the kernel tells of
 * an error or a hang-up (which cannot be masked) once, not over and over.
 */
final class SteadyEpoll implements IoHandler {
    private final IoHandler epoll;

    private SteadyEpoll(IoHandler epoll) {
        this.epoll = epoll;
    }

    static IoHandlerFactory newFactory() {
        IoHandlerFactory factory = EpollIoHandler.newFactory();
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new SteadyEpoll(factory.newHandler(executor));
            }

            @Override
            public boolean isChangingThreadSupported() {
                return factory.isChangingThreadSupported();
            }
        };
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return new Registration(epoll.register(handle));
    }

    @Override
    public void initialize() {
        epoll.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
        return epoll.run(context);
    }

    @Override
    public void prepareToDestroy() {
        epoll.prepareToDestroy();
    }

    @Override
    public void destroy() {
        epoll.destroy();
    }

    @Override
    public void wakeup() {
        epoll.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return epoll.isCompatible(handleType);
    }

    private record Registration(IoRegistration registration) implements IoRegistration {
        @Override
        public long submit(IoOps ops) {
            boolean none = ops instanceof EpollIoOps expected && expected.value() == EpollIoOps.NONE.value();
            return registration.submit(none ? EpollIoOps.EPOLLET : ops);
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // Netty's signature.
        public <T> T attachment() {
            return registration.attachment();
        }

        @Override
        public boolean isValid() {
            return registration.isValid();
        }

        @Override
        public boolean cancel() {
            return registration.cancel();
        }
    }
}
