package dev.nodepath.cni.ipam;

/** No address can be given: all are taken, or the container has one already. */
public final class AllocationException extends Exception {
    /** A refusal in host-local's words. */
    public AllocationException(String message) {
        super(message);
    }
}
