package dev.nodepath.proxy.userspace.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.proxy.userspace.Backend;
import dev.nodepath.proxy.userspace.NoLeaks;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.Errors;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The messages of the kernel and Netty about a failed connection. */
@ExtendWith(NoLeaks.class)
class DialFailureTest {
    /** Two connections of one local port to the same address cannot be. */
    @Test
    void noLocalPortIsNotTheEndpointsFault() throws Exception {
        try (Backend backend = Backend.echo()) {
            InetSocketAddress endpoint = new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), backend.endpoint().port());
            LinuxSocket first = LinuxSocket.newSocketStream(false);
            LinuxSocket second = LinuxSocket.newSocketStream(false);
            try {
                first.setReuseAddress(true);
                first.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                first.connect(endpoint);
                second.setReuseAddress(true);
                second.bind(first.localAddress());
                Throwable failure = catchThrowable(() -> second.connect(endpoint));
                assertThat(DialFailure.errno(failure)).isEqualTo(Errno.EADDRNOTAVAIL);
                assertThat(DialFailure.isRefusal(failure)).isFalse();
            } finally {
                first.close();
                second.close();
            }
        }
    }

    @Test
    void refusalIsTheEndpoints() throws Exception {
        LinuxSocket socket = LinuxSocket.newSocketStream(false);
        try {
            Throwable failure = catchThrowable(() -> {
                socket.connect(new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), Backend.refusing().port()));
                long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
                while (!socket.finishConnect()) {
                    assertThat(System.nanoTime()).isLessThan(deadline);
                }
            });
            assertThat(DialFailure.errno(failure)).isEqualTo(Errno.ECONNREFUSED);
            assertThat(DialFailure.isRefusal(failure)).isTrue();
        } finally {
            socket.close();
        }
        assertThat(DialFailure.isRefusal(new NoRouteToHostException())).isTrue();
    }

    @Test
    void noDescriptorIsNotTheEndpointsFault() {
        IOException none = new Errors.NativeIoException("socket", -Errno.EMFILE.number());
        assertThat(DialFailure.errno(new ChannelException(none))).isEqualTo(Errno.EMFILE);
        assertThat(DialFailure.isRefusal(new ChannelException(none))).isFalse();
    }
}
