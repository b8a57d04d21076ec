package dev.nodepath.endpoints;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects the log of one logger during a test. */
public final class LogCapture extends Handler implements AutoCloseable {
    private final Logger logger;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<String> warnings = new CopyOnWriteArrayList<>();

    /** Starts to collect the log of a class. */
    public LogCapture(Class<?> source) {
        this(source.getName());
    }

    /** Starts to collect the log of this name. */
    public LogCapture(String name) {
        this.logger = Logger.getLogger(name);
        logger.setUseParentHandlers(false);
        logger.setLevel(Level.ALL);
        logger.addHandler(this);
    }

    /** The lines so far: keys, values and event. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    /** The lines so far that contain the text. */
    public List<String> lines(String containing) {
        return lines.stream().filter(line -> line.contains(containing)).toList();
    }

    /** The events of the usual level. */
    public List<String> events(String containing) {
        return events.stream().filter(line -> line.contains(containing)).toList();
    }

    /** The warnings and errors. */
    public List<String> warnings(String containing) {
        return warnings.stream().filter(line -> line.contains(containing)).toList();
    }

    @Override
    public void publish(LogRecord event) {
        if (event.getLevel().intValue() >= Level.WARNING.intValue()) {
            warnings.add(event.getMessage());
        }
        if (event.getLevel().intValue() >= Level.INFO.intValue()) {
            events.add(event.getMessage());
        }
        lines.add(event.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
