package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.nodepath.endpoints.source.kubernetes.FakeStore.Event;
import dev.nodepath.endpoints.source.kubernetes.FakeStore.Stored;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** A watch that is open at a {@link FakeApiServer}: sends what happens until it is told otherwise. */
final class FakeWatch {
    /** What is done to all watches that are open when it happens; each counts up. Guarded by the store. */
    static final class Signals {
        int cuts;
        int ends;
        int bookmarks;
        int mutes;
    }

    private final FakeStore store;
    private final Signals signals;
    private final FakeRequest request;
    private final long deadline;
    private final int cut;
    private final int end;
    private int bookmarked;
    private final int muted;
    private long seen;

    /** Open from here on: what is done to open watches after this is done to it. */
    FakeWatch(FakeStore store, Signals signals, FakeRequest request) {
        this.store = store;
        this.signals = signals;
        this.request = request;
        this.deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(request.number("timeoutSeconds", 300));
        this.seen = request.number("resourceVersion", 0);
        synchronized (store) {
            cut = signals.cuts;
            end = signals.ends;
            bookmarked = signals.bookmarks;
            muted = signals.mutes;
        }
    }

    void answer(HttpExchange exchange) throws IOException, InterruptedException {
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        boolean tooOld;
        synchronized (store) {
            tooOld = !store.has(seen);
        }
        out.flush();
        if (tooOld) {
            write(out, FakeApiServer.resource("watch-too-old.json"));
        } else {
            while (send(out)) {
                // There is more to come.
            }
        }
        out.close();
    }

    /** Waits for something to send and sends it; false if the watch is to end in order. */
    private boolean send(OutputStream out) throws IOException, InterruptedException {
        StringBuilder lines = new StringBuilder();
        boolean cutting;
        synchronized (store) {
            while (isIdle()) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0) {
                    return false;
                }
                store.wait(left);
            }
            if (signals.ends != end) {
                return false;
            }
            cutting = signals.cuts != cut;
            if (!cutting) {
                long from = seen;
                for (Event event : store.after(seen, request.path())) {
                    line(event, lines);
                    seen = event.version();
                }
                // A server says nothing, not even this, before it has come to where the watch begins.
                if (bookmarked != signals.bookmarks && store.version() >= from) {
                    lines.append("{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"")
                            .append(FakeApiServer.KINDS.get(request.path()))
                            .append("\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"")
                            .append(store.version())
                            .append("\"}}}\n");
                }
                bookmarked = signals.bookmarks;
            }
        }
        if (cutting) {
            write(out, "{\"type\":\"MODIFIED\",\"object\":{\"kind\":");
            // The server cuts the connection of a handler that fails.
            throw new IOException("cut");
        }
        write(out, lines.toString());
        store.sent(seen, System.nanoTime());
        return true;
    }

    private boolean isIdle() {
        if (signals.ends != end || signals.cuts != cut) {
            return false;
        }
        return signals.mutes != muted
                || (signals.bookmarks == bookmarked
                        && store.after(seen, request.path()).isEmpty());
    }

    private void line(Event event, StringBuilder lines) {
        Stored before = event.before() != null && request.selects(event.before().tree()) ? event.before() : null;
        Stored after = event.after() != null && request.selects(event.after().tree()) ? event.after() : null;
        if (after != null) {
            lines.append(before == null ? "{\"type\":\"ADDED\"" : "{\"type\":\"MODIFIED\"")
                    .append(",\"object\":")
                    .append(after.text())
                    .append("}\n");
        } else if (before != null) {
            ObjectNode last = before.tree().deepCopy();
            last.withObject("/metadata").put("resourceVersion", Long.toString(event.version()));
            lines.append("{\"type\":\"DELETED\",\"object\":").append(last).append("}\n");
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
