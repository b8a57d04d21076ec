package dev.nodepath.agent.process;

import dev.nodepath.agent.options.CommandException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a long-running process with its exit code: after a signal or a change of its Node. */
public final class ProcessEnd {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessEnd.class);

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile int exitCode;

    /** Listens for signals from now on. After one the process lives until {@link #ended}. */
    public void onSignal() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::end, "stop"));
    }

    private void end() {
        asked.countDown();
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Asks for the end, with the exit code of a failure: the parent then starts the process again. */
    public void restart(String node, String reason) {
        LOG.atError().addKeyValue("node", node).addKeyValue("reason", reason).log("node.changed");
        exitCode = CommandException.FAILED;
        asked.countDown();
    }

    /** Whether the end was asked for. */
    public boolean isAsked() {
        return asked.getCount() == 0;
    }

    /** Waits until somebody asks for the end. */
    public void await() throws InterruptedException {
        asked.await();
    }

    /** The same with a limit; false if the end was not asked for until then. */
    public boolean await(Duration limit) throws InterruptedException {
        return asked.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Everything has ended in order: the process may end. */
    public void ended() {
        ended.countDown();
    }

    /** The process's exit code: 0 after a signal. */
    public int exitCode() {
        return exitCode;
    }
}
