package dev.nodepath.linux.syscall;

/** Error numbers of the kernel that have a meaning for us ({@code include/uapi/asm-generic/errno*.h}). */
public enum Errno {
    EPERM(1),
    ENOENT(2),
    ESRCH(3),
    EINTR(4),
    EIO(5),
    ENXIO(6),
    EAGAIN(11),
    ENOMEM(12),
    EACCES(13),
    EBUSY(16),
    EEXIST(17),
    EXDEV(18),
    ENODEV(19),
    ENOTDIR(20),
    EISDIR(21),
    EINVAL(22),
    ENFILE(23),
    EMFILE(24),
    ENOSPC(28),
    EROFS(30),
    EPIPE(32),
    ERANGE(34),
    ENAMETOOLONG(36),
    ELOOP(40),
    ERESTART(85),
    EMSGSIZE(90),
    EPROTONOSUPPORT(93),
    EOPNOTSUPP(95),
    EAFNOSUPPORT(97),
    EADDRINUSE(98),
    EADDRNOTAVAIL(99),
    ENETDOWN(100),
    ENETUNREACH(101),
    ECONNABORTED(103),
    ENOBUFS(105),
    ECONNREFUSED(111),
    EHOSTUNREACH(113),
    /** Any other number. */
    UNKNOWN(0);

    private final int number;

    Errno(int number) {
        this.number = number;
    }

    /** The kernel's number; 0 for {@link #UNKNOWN}. */
    public int number() {
        return number;
    }

    /** Whether the same call may succeed later: the kernel lacks a resource, is busy, or was interrupted. */
    public boolean mayPass() {
        return switch (this) {
            // The last one: another program has changed nf_tables meanwhile.
            case ENOMEM, ENOBUFS, EMFILE, ENFILE, EAGAIN, EBUSY, EINTR, ERESTART -> true;
            default -> false;
        };
    }

    /** The constant of a number, {@link #UNKNOWN} if it has none here. */
    public static Errno of(int number) {
        for (Errno errno : values()) {
            if (errno.number == number) {
                return errno;
            }
        }
        return UNKNOWN;
    }
}
