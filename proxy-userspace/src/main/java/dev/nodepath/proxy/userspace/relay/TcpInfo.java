package dev.nodepath.proxy.userspace.relay;

import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The kernel's state of a TCP connection: {@code struct tcp_info} of {@code include/uapi/linux/tcp.h}. */
final class TcpInfo {
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;
    private static final int BYTES = 104;
    private static final int LAST_DATA_SENT_OFFSET = 44;

    private TcpInfo() {}

    /** How long ago the kernel last sent data; the largest number if it does not know. */
    static long sinceDataSentMillis(Socket socket) {
        ByteBuffer info = ByteBuffer.allocate(BYTES).order(ByteOrder.nativeOrder());
        try {
            socket.getRawOpt(IPPROTO_TCP, TCP_INFO, info);
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
        return Integer.toUnsignedLong(info.getInt(LAST_DATA_SENT_OFFSET));
    }
}
