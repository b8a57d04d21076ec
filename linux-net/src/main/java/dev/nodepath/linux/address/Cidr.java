package dev.nodepath.linux.address;

import org.jspecify.annotations.Nullable;

/**
 * An address with a prefix length: a network such as {@code 10.244.0.0/16}, or an interface's {@code 10.244.1.1/24}.
 */
public record Cidr(IpAddress address, int prefixLength) {

    /** Checks that the prefix fits the address family. */
    public Cidr {
        if (prefixLength < 0 || prefixLength > address.family().bits()) {
            throw new IllegalArgumentException(
                    "\"" + address + "/" + prefixLength + "\" (expected: a prefix length of 0 to "
                            + address.family().bits() + ")");
        }
    }

    /**
     * Reads {@code ADDRESS/LENGTH}.
     *
     * @throws IllegalArgumentException if it is anything else; the message holds the text
     */
    public static Cidr parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0 || !text.substring(slash + 1).matches("[0-9]{1,3}")) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: ADDRESS/PREFIX-LENGTH)");
        }
        return new Cidr(IpAddress.parse(text.substring(0, slash)), Integer.parseInt(text.substring(slash + 1)));
    }

    /**
     * The IPv4 network of an IPv4-mapped IPv6 one, such as 10.1.2.0/24 of {@code ::ffff:10.1.2.0/120}. Any other
     * network as it is.
     *
     * @throws IllegalArgumentException if its prefix is too short for an IPv4 network
     */
    public Cidr unmapped() {
        IpAddress inner = address.unmapped();
        int outerBits = family().bits() - inner.family().bits();
        if (prefixLength < outerBits) {
            throw new IllegalArgumentException("\"" + this + "\" (expected: a prefix length of " + outerBits + " to "
                    + family().bits() + " for an IPv4-mapped address)");
        }
        return new Cidr(inner, prefixLength - outerBits);
    }

    /** The address alone: a /32 or /128. */
    public static Cidr single(IpAddress address) {
        return new Cidr(address, address.family().bits());
    }

    /** The address family of the address. */
    public IpFamily family() {
        return address.family();
    }

    /** This network with the host bits cleared. */
    public Cidr network() {
        return prefixLength == family().bits() ? this : new Cidr(mask(address), prefixLength);
    }

    /** Whether the host bits are all zero. */
    public boolean isNetwork() {
        return equals(network());
    }

    /** The highest address: the broadcast address of an IPv4 network. */
    public IpAddress last() {
        IpAddress first = network().address();
        return new IpAddress(family(), first.high() | highHostMask(), first.low() | lowHostMask());
    }

    /** Whether the network holds the address. It holds no address of the other family. */
    public boolean contains(IpAddress other) {
        return other.family() == family() && mask(other).equals(network().address());
    }

    /** Whether the two networks have an address in common. */
    public boolean overlaps(Cidr other) {
        return prefixLength <= other.prefixLength ? contains(other.address) : other.contains(address);
    }

    /** Written by hand, for the reason in {@link IpAddress#equals}. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Cidr that && prefixLength == that.prefixLength && address.equals(that.address);
    }

    @Override
    public int hashCode() {
        return 31 * address.hashCode() + prefixLength;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        appendTo(text);
        return text.toString();
    }

    /** Adds {@link #toString} to a longer text. */
    public void appendTo(StringBuilder text) {
        address.appendTo(text);
        text.append('/').append(prefixLength);
    }

    private IpAddress mask(IpAddress whole) {
        return new IpAddress(family(), whole.high() & ~highHostMask(), whole.low() & ~lowHostMask());
    }

    /** The host bits of the upper half of an IPv6 address; an IPv4 address has no upper half. */
    private long highHostMask() {
        return family() == IpFamily.IPV4 ? 0 : ones(Math.max(0, 64 - prefixLength));
    }

    private long lowHostMask() {
        return ones(Math.min(64, family().bits() - prefixLength));
    }

    private static long ones(int bits) {
        return bits == 64 ? -1L : (1L << bits) - 1;
    }
}
