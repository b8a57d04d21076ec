package dev.nodepath.endpoints.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Notes when it was called, takes a while, and fails as often as it is told. */
final class RecordingProxy implements ServiceProxy {
    private final ManualScheduler scheduler;
    final List<Call> calls = new ArrayList<>();
    Duration takes = Duration.ZERO;
    Duration lastEnd = Duration.ZERO;
    int failures;
    Throwable error = new SyncException("refused", new Exception());
    Runnable during = () -> {};
    private boolean inside;

    /** A sync that was called, and when. */
    record Call(long atMillis, ServiceSnapshot snapshot, ChangeSet changed) {}

    RecordingProxy(ManualScheduler scheduler) {
        this.scheduler = scheduler;
    }

    @Override
    public void sync(ServiceSnapshot desired, ChangeSet changed) throws SyncException {
        assertThat(inside).as("two syncs at once").isFalse();
        inside = true;
        calls.add(new Call(scheduler.elapsed().toMillis(), desired, changed));
        during.run();
        scheduler.spend(takes);
        lastEnd = scheduler.elapsed();
        inside = false;
        if (failures > 0) {
            failures--;
            throwIt();
        }
    }

    List<Duration> waits() {
        List<Duration> waits = new ArrayList<>();
        for (int i = 1; i < calls.size(); i++) {
            waits.add(Duration.ofMillis(calls.get(i).atMillis - calls.get(i - 1).atMillis));
        }
        return waits;
    }

    private void throwIt() throws SyncException {
        if (error instanceof SyncException e) {
            throw e;
        } else if (error instanceof RuntimeException e) {
            throw e;
        } else if (error instanceof Error e) {
            throw e;
        }
    }

    @Override
    public void close() {}
}
