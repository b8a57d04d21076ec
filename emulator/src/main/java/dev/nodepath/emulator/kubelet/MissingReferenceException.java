package dev.nodepath.emulator.kubelet;

/** A container names a ConfigMap, a Secret or a key of one that is not there. */
final class MissingReferenceException extends Exception {
    private static final long serialVersionUID = 1L;

    MissingReferenceException(String message) {
        super(message);
    }
}
