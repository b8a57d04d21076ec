package dev.nodepath.apiserver.store;

/** A listener's place in the store. */
public interface Subscription extends AutoCloseable {
    /** Ends the subscription; one event may still arrive. */
    @Override
    void close();
}
