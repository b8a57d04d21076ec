package dev.nodepath.agent.process;

import java.time.temporal.ChronoUnit;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The log of the process: one line an event on standard error, {@code TIME LEVEL EVENT KEY=VALUE...}.
 *
 * <p>The slf4j binding for {@code java.util.logging} puts the keys before the event's name; this formatter moves the
 * name to the front.
 */
public final class EventLog extends Formatter {
    private static final Pattern EVENT_NAME = Pattern.compile("[a-z_]+\\.[a-z_.]+");

    EventLog() {}

    /** Makes every logger of the process write such lines. Call it before the first logger is made. */
    public static void configure() {
        System.setProperty("java.util.logging.manager", Manager.class.getName());
        // Otherwise slf4j searches every jar of the class path for one, and writes a warning.
        System.setProperty("slf4j.provider", "org.slf4j.jul.JULServiceProvider");
        System.setProperty("slf4j.internal.verbosity", "WARN");
        Logger root = Logger.getLogger("");
        for (Handler handler : root.getHandlers()) {
            root.removeHandler(handler);
        }
        root.addHandler(LogOutput.onStandardError(new EventLog()));
        root.setLevel(Level.INFO);
    }

    /**
     * Keeps the log open after a signal: the JDK's log manager removes the handlers while the process is still
     * working.
     */
    public static final class Manager extends LogManager {
        @Override
        public void reset() {}
    }

    @Override
    public String format(LogRecord record) {
        String time = record.getInstant().truncatedTo(ChronoUnit.MILLIS).toString();
        return time + " " + level(record.getLevel()) + " " + nameFirst(formatMessage(record))
                + failure(record.getThrown()) + "\n";
    }

    /** Puts the name of our events first, which end with it. Prose of libraries stays as it is. */
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
