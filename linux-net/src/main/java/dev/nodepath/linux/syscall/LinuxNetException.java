package dev.nodepath.linux.syscall;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An error of the kernel, with the operation, the error number, and the kernel's message if any. */
public final class LinuxNetException extends IOException {
    private final Errno errno;

    /**
     * An error.
     *
     * @param operation the operation with its arguments, such as {@code create bridge cni0}
     * @param number the error number
     * @param kernelText the text of the extended acknowledgement; empty if there was none
     */
    public LinuxNetException(String operation, int number, String kernelText) {
        this(operation, number, kernelText, null);
    }

    /** An error with its cause. */
    public LinuxNetException(String operation, int number, String kernelText, @Nullable Throwable cause) {
        super(message(operation, number, kernelText), cause);
        this.errno = Errno.of(number);
    }

    /** The error number, as data. */
    public Errno errno() {
        return errno;
    }

    /** Whether the name or value exists already. */
    public boolean isExists() {
        return errno == Errno.EEXIST;
    }

    /** Whether the link, name, address or route does not exist. */
    public boolean isMissing() {
        return switch (errno) {
            case ENODEV, ENOENT, ESRCH, EADDRNOTAVAIL -> true;
            default -> false;
        };
    }

    private static String message(String operation, int number, String kernelText) {
        Errno errno = Errno.of(number);
        String name = errno == Errno.UNKNOWN ? "errno " + number : errno.name();
        return operation + ": " + name + (kernelText.isEmpty() ? "" : " (" + kernelText + ")");
    }
}
