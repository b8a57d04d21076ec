package dev.nodepath.cni.ipam;

/** No address can be allocated: all are taken, or the container has one already. */
public final class AllocationException extends Exception {
    /** A failure with host-local's message. */
    public AllocationException(String message) {
        super(message);
    }
}
