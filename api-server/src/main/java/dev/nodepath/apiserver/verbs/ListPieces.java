package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.form.ObjectForm;
import dev.nodepath.apiserver.request.Json;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** The octets of a list, made object by object. */
final class ListPieces implements Iterator<byte[]> {
    private static final byte[] END = "]}\n".getBytes(StandardCharsets.US_ASCII);

    private final ObjectForm form;
    private final ObjectNode metadata;
    private final Iterator<ObjectNode> objects;
    private boolean begun;
    private boolean first = true;
    private boolean ended;

    ListPieces(ObjectForm form, ObjectNode metadata, List<ObjectNode> objects) {
        this.form = form;
        this.metadata = metadata;
        this.objects = objects.iterator();
    }

    @Override
    public boolean hasNext() {
        return !ended;
    }

    @Override
    public byte[] next() {
        if (ended) {
            throw new NoSuchElementException();
        }
        if (!begun) {
            begun = true;
            byte[] head = Json.bytes(form.list(metadata));
            return Arrays.copyOf(head, head.length - "]}".length());
        }
        if (objects.hasNext()) {
            byte[] item = Json.bytes(form.item(objects.next()));
            if (first) {
                first = false;
                return item;
            }
            byte[] following = new byte[item.length + 1];
            following[0] = ',';
            System.arraycopy(item, 0, following, 1, item.length);
            return following;
        }
        ended = true;
        return END;
    }
}
