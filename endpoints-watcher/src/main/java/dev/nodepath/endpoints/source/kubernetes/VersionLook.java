package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.endpoints.source.kubernetes.client.ApiClient;
import dev.nodepath.endpoints.source.kubernetes.client.ApiListener;
import dev.nodepath.endpoints.source.kubernetes.client.BodyStream;
import dev.nodepath.endpoints.source.kubernetes.client.ServerVersion;
import dev.nodepath.endpoints.sync.WaitClock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks a server now and then of what version it is, as that changes under a process that lives long. */
final class VersionLook implements Runnable {
    /** How long an answer counts; after a failure too, as nothing depends on it. */
    static final Duration PERIOD = Duration.ofMinutes(10);

    private static final Logger LOG = LoggerFactory.getLogger(VersionLook.class);

    private final ApiClient client;
    private final Duration answerLimit;
    private final ApiListener listener;
    private final CountDownLatch stop;
    private final WaitClock time;
    private final ObjectMapper mapper = new ObjectMapper();

    /**
     * Asks nothing yet.
     *
     * @param stop counted down when it is to end; its thread must be interrupted too
     */
    VersionLook(ApiClient client, Duration answerLimit, ApiListener listener, CountDownLatch stop, WaitClock time) {
        this.client = client;
        this.answerLimit = answerLimit;
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
        try (BodyStream body = client.get(ServerVersion.PATH, answerLimit)) {
            listener.version(ServerVersion.of(mapper.readTree(body)));
        } catch (IOException e) {
            LOG.atDebug().addKeyValue("error", ApiClient.explain(e)).log("source.version_unknown");
        }
    }
}
