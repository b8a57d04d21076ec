package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.form.ObjectForm;
import dev.nodepath.apiserver.store.ChangeEvent;
import java.util.HashMap;
import java.util.Map;

/** A change and its lines: each line is encoded when the first watch sends it, and kept for the others. */
final class EncodedEvent {
    /** The meaning of a change for a watch. */
    enum Meaning {
        ADDED,
        MODIFIED,
        DELETED,
        /**
         * The object still exists, but the watch's selector no longer chooses it: it is sent as deleted, with its
         * state before.
         */
        LEFT
    }

    private record Key(Meaning meaning, ObjectForm form) {}

    private final ChangeEvent change;
    private final Map<Key, byte[]> lines = new HashMap<>(2);

    EncodedEvent(ChangeEvent change) {
        this.change = change;
    }

    ChangeEvent change() {
        return change;
    }

    synchronized byte[] line(Meaning meaning, ObjectForm form) {
        return lines.computeIfAbsent(
                new Key(meaning, form),
                key -> WatchLines.line(
                        meaning == Meaning.LEFT ? "DELETED" : meaning.name(), form.one(object(meaning))));
    }

    private ObjectNode object(Meaning meaning) {
        if (meaning != Meaning.LEFT) {
            return change.object();
        }
        ObjectNode before = change.before().orElseThrow().deepCopy();
        before.withObjectProperty("metadata").put("resourceVersion", String.valueOf(change.version()));
        return before;
    }
}
