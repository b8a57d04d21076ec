package dev.nodepath.endpoints.source.kubernetes;

import java.util.Iterator;

/**
 * An answer whose end is noted before its last octets are sent, because the client may ask for more once it has them.
 *
 * @param pieces of the answer
 * @param ended is called once
 */
record NotedPieces(Iterator<byte[]> pieces, Runnable ended) implements Iterator<byte[]> {
    @Override
    public boolean hasNext() {
        return pieces.hasNext();
    }

    @Override
    public byte[] next() {
        byte[] piece = pieces.next();
        if (!pieces.hasNext()) {
            ended.run();
        }
        return piece;
    }
}
