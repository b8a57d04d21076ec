package dev.nodepath.agent.http;

/** Answers requests of one port, on one of the server's worker threads. */
@FunctionalInterface
public interface HttpHandler {
    /** The answer; whatever is thrown becomes a 500. */
    HttpResponse handle(HttpRequest request) throws Exception;
}
