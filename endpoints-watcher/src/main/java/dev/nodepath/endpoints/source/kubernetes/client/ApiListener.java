package dev.nodepath.endpoints.source.kubernetes.client;

import java.time.Duration;

/** Is told how an API server answers, by any thread. */
public interface ApiListener {
    /** The code of a request that got no answer, as client-go has it in its metrics. */
    String NO_ANSWER = "<error>";

    /**
     * A request was answered, or given up.
     *
     * @param method such as {@code GET}
     * @param host of the server, with its port if its URL has one
     * @param code the HTTP status, or {@link #NO_ANSWER}
     * @param duration until the answer began
     */
    void answered(String method, String host, String code, Duration duration);

    /** The server is of this version. */
    void version(ServerVersion version);
}
