package dev.nodepath.linux.address;

/** An IP version, with the numbers that the kernel gives it. */
public enum IpFamily {
    IPV4("IPv4", 2, 32),
    IPV6("IPv6", 10, 128);

    private final String text;
    private final int addressFamily;
    private final int bits;

    IpFamily(String text, int addressFamily, int bits) {
        this.text = text;
        this.addressFamily = addressFamily;
        this.bits = bits;
    }

    /** {@code AF_INET} or {@code AF_INET6}, as in {@code include/linux/socket.h}. */
    public int addressFamily() {
        return addressFamily;
    }

    /** The length of an address, in bits. */
    public int bits() {
        return bits;
    }

    /** The Kubernetes spelling, {@code IPv4} or {@code IPv6}. */
    @Override
    public String toString() {
        return text;
    }
}
