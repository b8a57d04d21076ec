package dev.nodepath.agent;

import java.time.temporal.ChronoUnit;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The log of the process: one line an event on standard error, {@code TIME LEVEL EVENT KEY=VALUE...}.
 *
 * <p>The slf4j binding for {@code java.util.logging} puts the keys before the event's name; here the name leads.
 */
public final class EventLog extends Formatter {
    private static final Pattern EVENT_NAME = Pattern.compile("[a-z_]+\\.[a-z_.]+");
    private static final Logger ROOT = Logger.getLogger("");

    EventLog() {}

    /** Makes every logger of the process write such lines. */
    public static void configure() {
        for (Handler handler : ROOT.getHandlers()) {
            ROOT.removeHandler(handler);
        }
        Handler console = new ConsoleHandler();
        console.setFormatter(new EventLog());
        ROOT.addHandler(console);
        ROOT.setLevel(Level.INFO);
    }

    @Override
    public String format(LogRecord record) {
        String time = record.getInstant().truncatedTo(ChronoUnit.MILLIS).toString();
        return time + " " + level(record.getLevel()) + " " + nameFirst(formatMessage(record))
                + failure(record.getThrown()) + "\n";
    }

    /** Our events end with their name; what libraries say in prose stays as it is. */
    private static String nameFirst(String message) {
        int nameAt = message.lastIndexOf(' ') + 1;
        String name = message.substring(nameAt);
        return nameAt > 0 && EVENT_NAME.matcher(name).matches()
                ? name + " " + message.substring(0, nameAt - 1)
                : message;
    }

    private static String level(Level level) {
        if (level.intValue() >= Level.SEVERE.intValue()) {
            return "ERROR";
        }
        return level.intValue() >= Level.WARNING.intValue() ? "WARN" : "INFO";
    }

    private static String failure(@Nullable Throwable thrown) {
        return thrown == null ? "" : " error=" + thrown.toString().replace('\n', ' ');
    }
}
