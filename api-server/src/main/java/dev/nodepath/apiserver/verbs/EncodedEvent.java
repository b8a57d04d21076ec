package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.form.ObjectForm;
import dev.nodepath.apiserver.store.ChangeEvent;
import java.util.HashMap;
import java.util.Map;

/** A change, and its lines: each is encoded when the first watch sends it, and kept for the others. */
final class EncodedEvent {
    /** What a change is to a watch. */
    enum Meaning {
        ADDED,
        MODIFIED,
        DELETED,
        /** It exists still, and the watch does not choose it any more: deleted, with its state before. */
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
