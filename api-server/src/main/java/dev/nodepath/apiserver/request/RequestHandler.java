package dev.nodepath.apiserver.request;

/** Answers requests. It is called by several threads at once. */
@FunctionalInterface
public interface RequestHandler {
    /** The answer to a request; a refusal is an answer too. */
    ApiResponse answer(ApiRequest request);
}
