package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.IpFamily;

/**
 * Registers of the kernel's nf_tables ({@code enum nft_registers}): 1 to 4 have 16 bytes each. Their quarters of 4
 * bytes are 8 to 23. A quarter at the beginning of a large register goes by the large one's number.
 */
final class NftRegister {
    /** The first small register, which is a quarter of the first large one. */
    static final int SMALL = 8;

    private static final int LARGE = 1;
    private static final int QUARTERS = 4;

    private NftRegister() {}

    /** The number by which {@code nft} and the kernel name a small register. */
    static int of(int small) {
        int behind = small - SMALL;
        return behind % QUARTERS == 0 ? LARGE + behind / QUARTERS : small;
    }

    /** The number of the first quarter of a large register. */
    static int small(int large) {
        return SMALL + (large - LARGE) * QUARTERS;
    }

    /** The register behind an address that begins the first one. */
    static int behindAddress(IpFamily ip) {
        return of(SMALL + ip.bits() / 32);
    }

    /** The register behind an address and a port. */
    static int behindPort(IpFamily ip) {
        return of(SMALL + ip.bits() / 32 + 1);
    }
}
