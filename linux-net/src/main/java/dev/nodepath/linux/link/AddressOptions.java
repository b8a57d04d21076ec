package dev.nodepath.linux.link;

/**
 * How an address is added.
 *
 * @param duplicateDetection whether IPv6 looks for another owner first, which takes a second or two
 * @param protocol who added it ({@code IFA_PROTO}), 4 to 255; 0 says nothing. Kernels before 5.18 forget it
 */
public record AddressOptions(boolean duplicateDetection, int protocol) {
    /** Usable at once, by nobody in particular. */
    public static final AddressOptions DEFAULT = new AddressOptions(false, 0);
}
