package dev.nodepath.emulator.traffic;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;

/**
 * TCP's congestion control in an emulated cluster. A new namespace has the machine's, so the figures of two machines
 * could not be compared: BBR without fq paces each socket by a timer, and halves the bulk throughput of a veth.
 */
public final class CongestionControl {
    /**
     * Every kernel allows it in every namespace. Without losses it behaves like cubic, the algorithm of most machines.
     */
    public static final String NAME = "reno";

    private CongestionControl() {}

    /** New sockets of the namespace use it. */
    public static void set(NetworkNamespace namespace) throws LinuxNetException {
        namespace.setSysctl("net/ipv4/tcp_congestion_control", NAME);
    }
}
