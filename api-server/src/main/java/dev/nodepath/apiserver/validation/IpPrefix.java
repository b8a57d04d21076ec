package dev.nodepath.apiserver.validation;

import java.math.BigInteger;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A range of addresses, such as 10.96.0.0/12.
 *
 * @param first its lowest address
 * @param length the number of leading bits that all its addresses share
 */
public record IpPrefix(Ip first, int length) {
    private static final Pattern LENGTH = Pattern.compile("0|[1-9]\\d{0,2}");

    /** Reads a prefix. Bits of the address behind the length are dropped. */
    public static Optional<IpPrefix> parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0 || !LENGTH.matcher(text.substring(slash + 1)).matches()) {
            return Optional.empty();
        }
        int length = Integer.parseInt(text.substring(slash + 1));
        return Ip.parse(text.substring(0, slash))
                .filter(address -> length <= bits(address))
                .map(address -> new IpPrefix(masked(address, length), length));
    }

    /** The number of its addresses. */
    public BigInteger size() {
        return BigInteger.ONE.shiftLeft(bits(first) - length);
    }

    /** Whether an address is of this range. */
    public boolean contains(Ip address) {
        return address.isIpv6() == first.isIpv6() && masked(address, length).equals(first);
    }

    private static int bits(Ip address) {
        return address.isIpv6() ? 128 : 32;
    }

    private static Ip masked(Ip address, int length) {
        int host = bits(address) - length;
        return new Ip(address.value().shiftRight(host).shiftLeft(host), address.isIpv6());
    }

    @Override
    public String toString() {
        return first + "/" + length;
    }
}
