package dev.nodepath.linux.io;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** {@code struct sockaddr_un} of sys/un.h. */
final class UnixAddress {
    /** The family of unix sockets. */
    static final int AF_UNIX = 1;

    /** The length of {@code sun_path} in bytes, without the zero byte that ends a path. */
    private static final int NAME_BYTES_MAX = 107;

    private UnixAddress() {}

    /** The address of a file. */
    static byte[] of(Path path) throws LinuxNetException {
        byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
        if (name.length > NAME_BYTES_MAX) {
            throw new LinuxNetException(
                    "address " + path,
                    Errno.EINVAL.number(),
                    "path of " + name.length + " bytes (limit: " + NAME_BYTES_MAX + ")");
        }
        return address(name).put(name).put((byte) 0).array();
    }

    private static ByteBuffer address(byte[] name) {
        return ByteBuffer.allocate(2 + name.length + 1)
                .order(ByteOrder.nativeOrder())
                .putShort((short) AF_UNIX);
    }
}
