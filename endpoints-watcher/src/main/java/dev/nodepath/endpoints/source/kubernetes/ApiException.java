package dev.nodepath.endpoints.source.kubernetes;

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

    /** The Retry-After of the server. */
    public Optional<Duration> retryAfter() {
        return retryAfter;
    }

    /** Whether the server denies access: 401 or 403. */
    public boolean isDenied() {
        return code == UNAUTHORIZED || code == FORBIDDEN;
    }

    /** Whether the server knows the user, but forbids the request: 403. */
    public boolean isForbidden() {
        return code == FORBIDDEN;
    }

    /** Whether the object or path does not exist: 404. */
    public boolean isNotFound() {
        return code == NOT_FOUND;
    }

    /**
     * Whether this resourceVersion or continue token is unusable: too old, or too new after the server has lost a part
     * of its history.
     */
    public boolean isVersionUnusable() {
        return code == GONE
                || (code == GATEWAY_TIMEOUT && String.valueOf(getMessage()).contains("resource version"));
    }

    /**
     * Whether the request is wrong and will never succeed. Missing rights do not count, because they may be granted
     * later.
     */
    public boolean isRefusal() {
        return code >= 400 && code < 500 && !isDenied() && code != REQUEST_TIMEOUT && code != TOO_MANY_REQUESTS;
    }

    /** Whether the same request may well succeed later. */
    public boolean isPassing() {
        return code == TOO_MANY_REQUESTS || code >= 500;
    }
}
