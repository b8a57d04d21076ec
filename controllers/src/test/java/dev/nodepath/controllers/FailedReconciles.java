package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.controllers.object.ControllerLoop;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Notes the log of the controllers' loop: failures that later tries would hide. */
final class FailedReconciles extends Handler {
    private final Logger logger = Logger.getLogger(ControllerLoop.class.getName());
    private final List<String> messages = new CopyOnWriteArrayList<>();

    FailedReconciles() {
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
        messages.add(line.getMessage());
    }

    @Override
    public void flush() {}

    /** Ends it; fails if there was a failure. */
    @Override
    public void close() {
        logger.removeHandler(this);
        assertThat(messages).isEmpty();
    }
}
