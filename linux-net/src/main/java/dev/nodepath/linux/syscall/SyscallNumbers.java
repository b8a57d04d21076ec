package dev.nodepath.linux.syscall;

/**
 * System call numbers, and {@code O_NOFOLLOW}, of a processor architecture (kernel tables {@code syscall_64.tbl} and
 * {@code asm-generic/unistd.h}, {@code asm/fcntl.h}).
 */
record SyscallNumbers(
        int read,
        int write,
        int close,
        int openat,
        int fcntl,
        int flock,
        int mkdirat,
        int unlinkat,
        int mount,
        int umount2,
        int setns,
        int unshare,
        int socket,
        int bind,
        int sendto,
        int recvfrom,
        int setsockopt,
        int getsockopt,
        int connect,
        int listen,
        int accept4,
        int shutdown,
        int sendmsg,
        int recvmsg,
        int geteuid,
        int ppoll,
        int mmap,
        int munmap,
        int noFollow) {

    static final SyscallNumbers X86_64 = new SyscallNumbers(
            0, 1, 3, 257, 72, 73, 258, 263, 165, 166, 308, 272, 41, 49, 44, 45, 54, 55, 42, 50, 288, 48, 46, 47, 107,
            271, 9, 11, 0x20000);
    static final SyscallNumbers AARCH64 = new SyscallNumbers(
            63, 64, 57, 56, 25, 32, 34, 35, 40, 39, 268, 97, 198, 200, 206, 207, 208, 209, 203, 201, 242, 210, 211, 212,
            175, 73, 222, 215, 0x8000);

    /** The numbers for a value of the system property {@code os.arch}. */
    static SyscallNumbers ofArchitecture(String name) {
        return switch (name) {
            case "amd64", "x86_64" -> X86_64;
            case "aarch64" -> AARCH64;
            default -> throw new UnsupportedOperationException("os.arch: " + name + " (expected: amd64 or aarch64)");
        };
    }
}
