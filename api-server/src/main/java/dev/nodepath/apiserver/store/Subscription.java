package dev.nodepath.apiserver.store;

/** A listener's place in the store. */
public interface Subscription extends AutoCloseable {
    /** The listener gets no further event; one that is on its way may still arrive. */
    @Override
    void close();
}
