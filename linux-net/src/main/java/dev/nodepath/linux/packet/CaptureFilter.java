package dev.nodepath.linux.packet;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The kernel's choice of packets, as a program of classic BPF ({@code include/uapi/linux/filter.h}): TCP packets with
 * SYN, and all UDP packets; the same inside VXLAN. So bulk traffic of TCP does not fill the queue.
 */
final class CaptureFilter {
    /** The longest headers that are read: IPv6, UDP, VXLAN, Ethernet, IPv6, ports. */
    static final int KEPT_BYTES = 160;

    /** Assigned by IANA ("vxlan"). */
    static final int VXLAN_PORT = 4789;

    /** From the outer IP header's end to the inner IP header: UDP, VXLAN, Ethernet. */
    static final int VXLAN_BYTES = 8 + 8 + 14;

    static final int TCP = 6;
    static final int UDP = 17;

    private static final int SYN = 0x02;
    private static final int FLAGS = 13;

    // Codes of linux/bpf_common.h. A is the accumulator, X the index.
    private static final int LOAD_BYTE = 0x30;
    private static final int LOAD_BYTE_X = 0x50;
    private static final int LOAD_HALF_X = 0x48;
    /** X becomes the length of the IPv4 header at an offset. */
    private static final int X_HEADER_4 = 0xb1;

    private static final int X_NUMBER = 0x01;
    private static final int AND = 0x54;
    private static final int EQUAL = 0x15;
    private static final int ANY_BIT = 0x45;
    private static final int JUMP = 0x05;
    private static final int RETURN = 0x06;

    static final int INSTRUCTION_BYTES = 8;

    private final ByteBuffer program =
            ByteBuffer.allocate(64 * INSTRUCTION_BYTES).order(ByteOrder.nativeOrder());

    private CaptureFilter() {}

    /** The program; each instruction has 8 bytes in the machine's order. */
    static byte[] program() {
        CaptureFilter filter = new CaptureFilter();
        filter.chooseTransport();
        byte[] bytes = new byte[filter.program.position()];
        filter.program.flip().get(bytes);
        return bytes;
    }

    /** Instruction by instruction; a jump counts the skipped ones. */
    private void chooseTransport() {
        add(LOAD_BYTE, 0, 0, 0);
        add(AND, 0, 0, 0xf0);
        add(EQUAL, 4, 0, 0x40); // to IPv4
        add(EQUAL, 0, 22, 0x60); // else to "drop"
        // IPv6
        add(LOAD_BYTE, 0, 0, 6);
        add(X_NUMBER, 0, 0, 40);
        add(JUMP, 0, 0, 2); // to the transport
        // IPv4
        add(LOAD_BYTE, 0, 0, 9);
        add(X_HEADER_4, 0, 0, 0);
        // the transport, with X at its header
        add(EQUAL, 0, 2, TCP);
        add(LOAD_BYTE_X, 0, 0, FLAGS);
        add(ANY_BIT, 13, 14, SYN);
        add(EQUAL, 0, 13, UDP);
        add(LOAD_HALF_X, 0, 0, 2);
        add(EQUAL, 0, 10, VXLAN_PORT); // other UDP is kept
        // inside VXLAN
        add(LOAD_BYTE_X, 0, 0, VXLAN_BYTES);
        add(AND, 0, 0, 0xf0);
        add(EQUAL, 3, 0, 0x40);
        add(LOAD_BYTE_X, 0, 0, VXLAN_BYTES + 6);
        add(EQUAL, 0, 5, TCP);
        add(JUMP, 0, 0, 6); // to the flags over IPv6
        add(LOAD_BYTE_X, 0, 0, VXLAN_BYTES + 9);
        add(EQUAL, 0, 2, TCP);
        add(LOAD_BYTE_X, 0, 0, VXLAN_BYTES + 20 + FLAGS);
        add(ANY_BIT, 0, 1, SYN);
        add(RETURN, 0, 0, KEPT_BYTES);
        add(RETURN, 0, 0, 0);
        add(LOAD_BYTE_X, 0, 0, VXLAN_BYTES + 40 + FLAGS);
        add(ANY_BIT, 0, 1, SYN);
        add(RETURN, 0, 0, KEPT_BYTES);
        add(RETURN, 0, 0, 0);
    }

    private void add(int code, int ifTrue, int ifFalse, int number) {
        program.putShort((short) code).put((byte) ifTrue).put((byte) ifFalse).putInt(number);
    }
}
