package dev.nodepath.endpoints.source.kubernetes.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** The API server answered with a failure: a status code, or an ERROR event of a watch. */
public final class ApiException extends IOException {
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int REQUEST_TIMEOUT = 408;
    private static final int GONE = 410;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int GATEWAY_TIMEOUT = 504;

    private final int code;
    private final Optional<Duration> retryAfter;

    ApiException(int code, String message, Optional<Duration> retryAfter) {
        super(message.isEmpty() ? Integer.toString(code) : code + " " + message);
        this.code = code;
        this.retryAfter = retryAfter;
    }

    /** The HTTP status code; 0 if the server did not say. */
    public int code() {
        return code;
    }

    /** How long the server asks to be left alone. */
    public Optional<Duration> retryAfter() {
        return retryAfter;
    }

    /** The server does not know who asks, or does not let them. */
    public boolean isDenied() {
        return code == UNAUTHORIZED || code == FORBIDDEN;
    }

    /** The server knows who asks, and does not let them. */
    public boolean isForbidden() {
        return code == FORBIDDEN;
    }

    public boolean isNotFound() {
        return code == NOT_FOUND;
    }

    /**
     * Nothing can be had from this resourceVersion or continue token on: it is too old, or, after the server lost part of
     * its history, too new.
     */
    public boolean isVersionUnusable() {
        return code == GONE
                || (code == GATEWAY_TIMEOUT && String.valueOf(getMessage()).contains("resource version"));
    }

    /** Whether the request itself is at fault, so that it will never succeed. Rights may be given later. */
    public boolean isRefusal() {
        return code >= 400 && code < 500 && !isDenied() && code != REQUEST_TIMEOUT && code != TOO_MANY_REQUESTS;
    }

    /** Whether the same request may well succeed later. */
    public boolean isPassing() {
        return code == TOO_MANY_REQUESTS || code >= 500;
    }
}
