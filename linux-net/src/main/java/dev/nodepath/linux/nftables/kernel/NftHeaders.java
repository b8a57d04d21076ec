package dev.nodepath.linux.nftables.kernel;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftField;

/** Where packets have their fields, and the numbers in them. */
final class NftHeaders {
    private NftHeaders() {}

    /** The offset of an address in the IP header, in bytes. */
    static int offset(NftField field, IpFamily ip) {
        if (field == NftField.SOURCE_ADDRESS) {
            return ip == IpFamily.IPV4 ? 12 : 8;
        }
        return ip == IpFamily.IPV4 ? 16 : 24;
    }

    /** The type of frames that hold packets of an IP version ({@code ETH_P_IP}, {@code ETH_P_IPV6}). */
    static byte[] etherType(IpFamily ip) {
        return ip == IpFamily.IPV4 ? new byte[] {0x08, 0x00} : new byte[] {(byte) 0x86, (byte) 0xDD};
    }

    /** The mask of a prefix: so many ones, then zeros. */
    static byte[] mask(IpFamily ip, int prefix) {
        byte[] mask = new byte[ip.bits() / 8];
        for (int bit = 0; bit < prefix; bit++) {
            mask[bit / 8] |= (byte) (0x80 >>> (bit % 8));
        }
        return mask;
    }
}
