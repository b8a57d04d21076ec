package dev.nodepath.proxy.userspace;

import io.netty.util.ResourceLeakDetector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Keeps the findings of Netty's leak detector for {@link NoLeaks}; the module's pom names it to Netty. */
public final class RecordingLeakDetector<T> extends ResourceLeakDetector<T> {
    static final Queue<String> FOUND = new ConcurrentLinkedQueue<>();

    /** A constructor that Netty looks for. */
    public RecordingLeakDetector(Class<?> resourceType, int samplingInterval, long maxActive) {
        this(resourceType, samplingInterval);
    }

    /** A constructor that Netty looks for. */
    public RecordingLeakDetector(Class<?> resourceType, int samplingInterval) {
        super(resourceType, samplingInterval);
    }

    @Override
    protected boolean needReport() {
        return true;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
        FOUND.add(resourceType + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
        FOUND.add(resourceType);
    }
}
