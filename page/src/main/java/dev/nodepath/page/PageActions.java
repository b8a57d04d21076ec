package dev.nodepath.page;

import com.fasterxml.jackson.databind.JsonNode;

/** What a reader of the page may do to the cluster. */
public interface PageActions {
    /**
     * Does it, and answers when it is done. Called on one thread at a time.
     *
     * @param name the path below {@code /api/}, such as {@code probe}
     * @param what the request's body
     * @return what came of it
     * @throws RefusedException if the request makes no sense
     */
    JsonNode act(String name, JsonNode what) throws RefusedException, InterruptedException;

    /** A request that makes no sense; the message says in a sentence what was expected. */
    final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;

        private final int status;

        /**
         * Makes one.
         *
         * @param status of HTTP, such as 404
         */
        public RefusedException(int status, String message) {
            super(message);
            this.status = status;
        }

        /** The status of HTTP. */
        public int status() {
            return status;
        }
    }
}
