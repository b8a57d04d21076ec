package dev.nodepath.cni.server;

/** A message that is not one of {@link CallMessages}. */
final class FrameException extends Exception {
    FrameException(String message) {
        super(message);
    }
}
