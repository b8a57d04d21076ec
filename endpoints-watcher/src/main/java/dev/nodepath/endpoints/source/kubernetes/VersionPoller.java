package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.linux.time.WaitClock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the server's version periodically, because it may change during the life of this process. */
final class VersionPoller implements Runnable {
    /** The time between two requests, also after a failure, because nothing depends on the version. */
    static final Duration PERIOD = Duration.ofMinutes(10);

    private static final Logger LOG = LoggerFactory.getLogger(VersionPoller.class);

    private final ApiClient client;
    private final ApiListener listener;
    private final CountDownLatch stop;
    private final WaitClock time;

    /**
     * Makes the task. {@link #run} sends the requests.
     *
     * @param stop is counted down at the end; the thread must be interrupted, too
     */
    VersionPoller(ApiClient client, ApiListener listener, CountDownLatch stop, WaitClock time) {
        this.client = client;
        this.listener = listener;
        this.stop = stop;
        this.time = time;
    }

    @Override
    public void run() {
        try {
            do {
                look();
            } while (!time.await(stop, PERIOD));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() throws InterruptedException {
        try {
            listener.version(ServerVersion.of(client.object(ServerVersion.PATH)));
        } catch (IOException e) {
            LOG.atDebug().addKeyValue("error", ApiClient.explain(e)).log("source.version_unknown");
        }
    }
}
