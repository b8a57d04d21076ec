package dev.nodepath.agent.http;

/**
 * The first line of a request; what a health check or a scraper says besides does not matter.
 *
 * @param method GET or HEAD
 * @param path without the query
 * @param query behind the question mark; empty if there is none
 */
public record HttpRequest(String method, String path, String query) {}
