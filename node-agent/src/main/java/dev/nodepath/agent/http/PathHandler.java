package dev.nodepath.agent.http;

/** Answers requests of one port, on a worker thread; what a health check or a scraper says besides the path does not matter. */
@FunctionalInterface
public interface PathHandler {
    /**
     * Returns the answer; an exception becomes a 500.
     *
     * @param path without the query
     */
    HttpResponse handle(String path) throws Exception;
}
