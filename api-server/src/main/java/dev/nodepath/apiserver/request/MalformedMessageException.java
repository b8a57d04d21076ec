package dev.nodepath.apiserver.request;

/** Octets that are no message of Kubernetes. */
final class MalformedMessageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MalformedMessageException(String why) {
        super("no protobuf message: " + why);
    }
}
