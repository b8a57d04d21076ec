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

    /** The length of {@code sun_path} in bytes, without the zero byte that ends a path or begins an abstract name. */
    private static final int NAME_BYTES_MAX = 107;

    private UnixAddress() {}

    /** The address of a file. */
    static byte[] of(Path path) throws LinuxNetException {
        byte[] name = name("path", path.toString());
        return address(name).put(name).put((byte) 0).array();
    }

    /** An abstract address, which no file has (unix(7)). */
    static byte[] ofAbstract(String text) throws LinuxNetException {
        byte[] name = name("name", text);
        return address(name).put((byte) 0).put(name).array();
    }

    private static byte[] name(String what, String text) throws LinuxNetException {
        byte[] name = text.getBytes(StandardCharsets.UTF_8);
        if (name.length > NAME_BYTES_MAX) {
            throw new LinuxNetException(
                    "address " + text,
                    Errno.EINVAL.number(),
                    what + " of " + name.length + " bytes (limit: " + NAME_BYTES_MAX + ")");
        }
        return name;
    }

    private static ByteBuffer address(byte[] name) {
        return ByteBuffer.allocate(2 + name.length + 1)
                .order(ByteOrder.nativeOrder())
                .putShort((short) AF_UNIX);
    }
}
