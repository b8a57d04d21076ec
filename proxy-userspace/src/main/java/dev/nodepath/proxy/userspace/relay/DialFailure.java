package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.syscall.Errno;
import io.netty.channel.unix.Errors;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Classifies the failure of a dial: the endpoint's, or local. */
final class DialFailure {
    /** Netty gives most error numbers only in the message. */
    private static final Pattern NUMBER = Pattern.compile("error\\(-?(\\d+)\\)");

    private DialFailure() {}

    /** Whether the endpoint or the network refused the connection. Otherwise this host lacks a resource. */
    static boolean isRefusal(Throwable failure) {
        if (!(failure instanceof ConnectException) && !(failure instanceof NoRouteToHostException)) {
            return false;
        }
        return switch (errno(failure)) {
            case EADDRNOTAVAIL, EADDRINUSE, EAGAIN, EMFILE, ENFILE, ENOBUFS, ENOMEM, EPERM -> false;
            default -> true;
        };
    }

    /** The error number of a failed system call, as far as it is known. */
    static Errno errno(Throwable failure) {
        if (failure instanceof Errors.NativeIoException known) {
            return Errno.of(Math.abs(known.expectedErr()));
        }
        if (failure.getCause() != null) {
            return errno(failure.getCause());
        }
        Matcher number = NUMBER.matcher(String.valueOf(failure.getMessage()));
        return number.find() ? Errno.of(Integer.parseInt(number.group(1))) : Errno.UNKNOWN;
    }
}
