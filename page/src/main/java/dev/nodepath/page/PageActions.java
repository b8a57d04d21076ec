package dev.nodepath.page;

import com.fasterxml.jackson.databind.JsonNode;

/** The actions of the page's readers on the cluster. */
public interface PageActions {
    /**
     * Acts, and answers when the action is done. Called on one thread at a time.
     *
     * @param name the path below {@code /api/}, such as {@code probe}
     * @param what the request's body
     * @return the result
     * @throws RefusedException if the request is not valid
     */
    JsonNode act(String name, JsonNode what) throws RefusedException, InterruptedException;

    /** An invalid request; the message is a sentence about the expected one. */
    final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;

        private final int status;

        /**
         * A refusal with a status.
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
