package dev.nodepath.emulator.traffic;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The length of an HTTP answer that has a {@code Content-Length}, found without making garbage for each answer. */
public final class HttpAnswer {
    private static final String CONTENT_LENGTH = "content-length: ";

    private HttpAnswer() {}

    /**
     * The bytes of head and body; -1 while the head is incomplete.
     *
     * @param received the answer so far, from 0 to the buffer's position
     * @throws IOException if the status is not 200, or the length is not stated
     */
    public static int bytes(ByteBuffer received) throws IOException {
        int head = indexOf(received, "\r\n\r\n");
        if (head < 0) {
            return -1;
        }
        if (indexOf(received, "HTTP/1.1 200") != 0) {
            throw new IOException("status is not 200");
        }
        int lengthAt = indexOf(received, CONTENT_LENGTH);
        if (lengthAt < 0 || lengthAt > head) {
            throw new IOException("no content-length");
        }
        int length = 0;
        for (int i = lengthAt + CONTENT_LENGTH.length(); received.get(i) != '\r'; i++) {
            length = length * 10 + received.get(i) - '0';
        }
        return head + "\r\n\r\n".length() + length;
    }

    private static int indexOf(ByteBuffer received, String text) {
        int last = received.position() - text.length();
        for (int i = 0; i <= last; i++) {
            int matched = 0;
            while (matched < text.length()
                    && Character.toLowerCase((char) received.get(i + matched))
                            == Character.toLowerCase(text.charAt(matched))) {
                matched++;
            }
            if (matched == text.length()) {
                return i;
            }
        }
        return -1;
    }
}
