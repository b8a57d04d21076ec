package dev.nodepath.page;

import java.util.List;

/**
 * A state, and all that has happened since. As a file it has a line of JSON for the state and one for each event.
 *
 * @param from when it had this state, in milliseconds since 1970
 * @param to when the recording ends
 * @param state as JSON on one line
 * @param events in their order
 */
public record Recording(long from, long to, String state, List<RecordedEvent> events) {
    /** What the first line calls the format. */
    static final String FORMAT = "nodepath-page";

    /** The version of the format. */
    static final int VERSION = 3;

    public Recording {
        events = List.copyOf(events);
    }

    /** The file. Its first line says how many lines follow, so that a reader knows whether all are there. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append("{\"format\":\"" + FORMAT + "\",\"version\":" + VERSION + ",\"from\":")
                .append(from)
                .append(",\"to\":")
                .append(to)
                .append(",\"events\":")
                .append(events.size())
                .append(",\"state\":")
                .append(state)
                .append("}\n");
        events.forEach(event -> text.append(event.line()).append('\n'));
        return text.toString();
    }
}
