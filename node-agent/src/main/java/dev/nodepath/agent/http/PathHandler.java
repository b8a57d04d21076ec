package dev.nodepath.agent.http;

/** Answers requests of one port, on a worker thread. It gets only the path; other parts of a request are ignored. */
@FunctionalInterface
public interface PathHandler {
    /**
     * Returns the answer; an exception becomes a 500.
     *
     * @param path without the query
     */
    HttpResponse handle(String path) throws Exception;
}
