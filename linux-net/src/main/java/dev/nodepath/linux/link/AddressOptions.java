package dev.nodepath.linux.link;

/**
 * The options of a new address.
 *
 * @param duplicateDetection whether IPv6 looks for another owner first, which takes a second or two
 * @param protocol the program that added it ({@code IFA_PROTO}), 4 to 255; 0 for an unknown one. Kernels before 5.18
 *     do not store it
 */
public record AddressOptions(boolean duplicateDetection, int protocol) {
    /** Usable at once, from an unknown program. */
    public static final AddressOptions DEFAULT = new AddressOptions(false, 0);
}
