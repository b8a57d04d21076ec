package dev.nodepath.emulator.traffic;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;

/**
 * TCP's congestion control in an emulated cluster. A new namespace has the machine's, and figures of two machines could
 * not be compared: BBR without fq paces each socket by a timer, and halves what bulk reaches over a veth.
 */
public final class CongestionControl {
    /** Every kernel allows it in every namespace. Without losses it behaves as cubic does, which most machines have. */
    public static final String NAME = "reno";

    private CongestionControl() {}

    /** New sockets of the namespace use it. */
    public static void set(NetworkNamespace namespace) throws LinuxNetException {
        namespace.setSysctl("net/ipv4/tcp_congestion_control", NAME);
    }
}
