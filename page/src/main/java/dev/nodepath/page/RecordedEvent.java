package dev.nodepath.page;

/**
 * An event with its time.
 *
 * @param at milliseconds since 1970
 * @param event in the form for all readers
 */
public record RecordedEvent(long at, PageEvent event) {
    /** A line of the file, without its end. */
    String line() {
        return "{\"kind\":\"" + event.kind() + "\",\"version\":" + event.version() + ",\"at\":" + at + ",\"data\":"
                + event.json() + "}";
    }
}
