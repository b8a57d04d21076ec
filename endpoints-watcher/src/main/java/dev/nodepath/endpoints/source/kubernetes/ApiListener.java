package dev.nodepath.endpoints.source.kubernetes;

import java.time.Duration;

/** Gets a call for each answer of an API server, on any thread. */
public interface ApiListener {
    /** The code of a request without answer, as in client-go's metrics. */
    String NO_ANSWER = "<error>";

    /**
     * A request was answered or cancelled.
     *
     * @param method such as {@code GET}
     * @param host of the server, with its port if its URL has one
     * @param code the HTTP status, or {@link #NO_ANSWER}
     * @param duration until the answer began
     */
    void answered(String method, String host, String code, Duration duration);

    /** The server has this version. */
    void version(ServerVersion version);
}
