package dev.nodepath.emulator.kubelet;

/** A container names an absent ConfigMap or Secret, or an absent key of one. */
final class MissingReferenceException extends Exception {
    private static final long serialVersionUID = 1L;

    MissingReferenceException(String message) {
        super(message);
    }
}
