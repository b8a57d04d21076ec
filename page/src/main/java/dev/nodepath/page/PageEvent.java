package dev.nodepath.page;

import java.nio.charset.StandardCharsets;

/**
 * A change, as an event for the page.
 *
 * @param version the number of the state after it
 * @param kind such as {@code pod}
 * @param json a text without line ends
 */
public record PageEvent(long version, String kind, String json) {
    /** The form of the event in the stream (HTML Living Standard, 9.2.5). */
    public byte[] frame() {
        return ("id: " + version + "\nevent: " + kind + "\ndata: " + json + "\n\n").getBytes(StandardCharsets.UTF_8);
    }
}
