package dev.nodepath.page;

import java.util.List;

/**
 * A state, and all events since. As a file it has a line of JSON for the state and one for each event.
 *
 * @param from the time of this state, in milliseconds since 1970
 * @param to the end of the recording
 * @param state as JSON on one line
 * @param events in their order
 */
public record Recording(long from, long to, String state, List<RecordedEvent> events) {
    /** The name of the format in the first line. */
    static final String FORMAT = "nodepath-page";

    /** The version of the format. */
    static final int VERSION = 3;

    public Recording {
        events = List.copyOf(events);
    }

    /** The file. Its first line has the number of further lines, so that a reader can check that all are there. */
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
