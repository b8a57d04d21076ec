package dev.nodepath.apiserver.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Refuses heads that two programs may read differently (RFC 9112, sections 2.2, 3, 5.1, 5.2 and 6.3), such as those
 * with two lengths. So no request can be hidden in a connection that a proxy shares. A head has at most {@value
 * #FIELDS_MAX} headers, as each takes much more memory than its octets.
 */
final class RequestHead {
    private static final Pattern REQUEST_LINE =
            Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+ [^\\x00-\\x20\\x7f]+ HTTP/1\\.[01]");
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");
    private static final int FIELDS_MAX = 1000;
    private static final int SHOWN_MAX = 40;
    private static final BitSet TOKEN = new BitSet();

    static {
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                .chars()
                .forEach(TOKEN::set);
    }

    private final ByteBuf octets;
    private final boolean persistent;
    private int fields;
    private int hosts;
    private int lengths;
    private int encodings;

    private RequestHead(ByteBuf octets, boolean persistent) {
        this.octets = octets;
        this.persistent = persistent;
    }

    /**
     * Checks a whole head.
     *
     * @param from its first octet
     * @param to behind its empty line
     * @throws IllegalArgumentException if it has a fault
     * @throws TooLongHttpHeaderException if it has too many headers
     */
    static void check(ByteBuf octets, int from, int to) {
        int end = lineEnd(octets, from, to);
        String line = text(octets, from, end);
        if (!REQUEST_LINE.matcher(line).matches()) {
            throw fault("request line", line, "METHOD TARGET HTTP/1.1");
        }
        RequestHead head = new RequestHead(octets, line.endsWith("1"));
        for (int start = end + 2; start < to - 2; start = end + 2) {
            end = lineEnd(octets, start, to);
            head.field(start, end);
        }
        head.finish();
    }

    private static int lineEnd(ByteBuf octets, int from, int to) {
        int end = octets.indexOf(from, to, (byte) '\n') - 1;
        if (end < from || octets.getByte(end) != '\r') {
            throw fault("end of a line", "LF", "CR LF");
        }
        return end;
    }

    private void field(int start, int end) {
        if (++fields > FIELDS_MAX) {
            throw new TooLongHttpHeaderException("more than " + FIELDS_MAX + " headers");
        }
        int colon = start;
        while (colon < end && TOKEN.get(octets.getUnsignedByte(colon))) {
            colon++;
        }
        if (colon == start || colon == end || octets.getByte(colon) != ':') {
            throw fault("header", text(octets, start, end), "NAME: VALUE in one line");
        }
        for (int i = colon + 1; i < end; i++) {
            int octet = octets.getUnsignedByte(i);
            if ((octet < ' ' && octet != '\t') || octet == 0x7f) {
                throw fault("header " + text(octets, start, colon), "octet " + octet, "no control characters");
            }
        }
        switch (text(octets, start, colon).toLowerCase(Locale.ROOT)) {
            case "host" -> hosts++;
            case "content-length" -> {
                lengths++;
                String value = text(octets, colon + 1, end).strip();
                if (!LENGTH.matcher(value).matches()) {
                    throw fault("Content-Length", value, "a number of octets");
                }
            }
            case "transfer-encoding" -> {
                encodings++;
                String value = text(octets, colon + 1, end).strip();
                if (!persistent || !value.equalsIgnoreCase("chunked")) {
                    throw fault("Transfer-Encoding", value, "chunked, by HTTP/1.1");
                }
            }
            default -> {}
        }
    }

    private void finish() {
        if (lengths + encodings > 1) {
            throw fault("Content-Length and Transfer-Encoding", lengths + encodings + " of them", "at most one");
        }
        if (hosts > 1 || (persistent && hosts == 0)) {
            throw fault("Host", hosts + " of them", "one");
        }
    }

    private static String text(ByteBuf octets, int from, int to) {
        return octets.toString(from, to - from, StandardCharsets.ISO_8859_1);
    }

    private static IllegalArgumentException fault(String field, String was, String expected) {
        String shown = was.length() > SHOWN_MAX ? was.substring(0, SHOWN_MAX) + "..." : was;
        return new IllegalArgumentException(field + ": \"" + shown + "\" (expected: " + expected + ")");
    }
}
