package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.apiserver.request.PieceSource;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.store.ObjectStore;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A watch of the API server whose connection a test disturbs. */
final class DisturbedWatch implements PieceSource {
    private static final String VERSION = "\"resourceVersion\":\"";

    /** The fault of its connection from now on. */
    enum Fault {
        NONE,
        /** It breaks in the middle of a line. */
        CUT,
        /** It ends in order. */
        END,
        /** It stays open and says nothing more. */
        MUTE
    }

    private final PieceSource source;
    private final Resource resource;
    private final ObjectStore store;
    private final BiConsumer<Long, Long> sent;
    private volatile Fault fault = Fault.NONE;
    private volatile Runnable ready = () -> {};
    private volatile boolean bookmarkDue;
    private boolean half;

    /**
     * An undisturbed watch.
     *
     * @param resource the kind that it watches
     * @param sent gets the version of each event, and when it was handed to the connection
     */
    DisturbedWatch(PieceSource source, Resource resource, ObjectStore store, BiConsumer<Long, Long> sent) {
        this.source = source;
        this.resource = resource;
        this.store = store;
        this.sent = sent;
    }

    void disturb(Fault what) {
        if (fault == Fault.NONE) {
            fault = what;
            ready.run();
        }
    }

    /** Sends a bookmark after all that waits. */
    void bookmark() {
        bookmarkDue = true;
        ready.run();
    }

    @Override
    public void start(Runnable whenReady) {
        ready = whenReady;
        source.start(whenReady);
    }

    @Override
    public byte @Nullable [] poll() {
        switch (fault) {
            case CUT -> {
                if (half) {
                    throw new IllegalStateException("cut");
                }
                half = true;
                ready.run();
                return AnswerFault.padded("{\"type\":\"MODIFIED\",\"object\":{\"kind\":");
            }
            case END, MUTE -> {
                return null;
            }
            case NONE -> {}
        }
        return bookmarkDue ? store.atomically(this::lineOrBookmark) : noted(source.poll());
    }

    /** While the store is locked: nothing happens between the last line and the bookmark. */
    private byte[] lineOrBookmark() {
        byte[] line = noted(source.poll());
        if (line != null) {
            return line;
        }
        bookmarkDue = false;
        return """
                {"type":"BOOKMARK","object":{"kind":"%s","apiVersion":"%s","metadata":{"resourceVersion":"%d"}}}
                """.formatted(resource.kind(), resource.apiVersion(), store.version())
                .getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean ended() {
        return switch (fault) {
            case NONE -> source.ended();
            case END -> true;
            case CUT, MUTE -> false;
        };
    }

    @Override
    public void close() {
        source.close();
    }

    private byte @Nullable [] noted(byte @Nullable [] line) {
        if (line != null) {
            String text = new String(line, StandardCharsets.UTF_8);
            int from = text.indexOf(VERSION) + VERSION.length();
            if (from > VERSION.length()) {
                sent.accept(Long.parseLong(text.substring(from, text.indexOf('"', from))), System.nanoTime());
            }
        }
        return line;
    }
}
