package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntBiFunction;

/**
 * Says whether there are many of something that service ports have. A change of the answer rewrites all rules, so many
 * begin above {@value #MANY} and end at {@value #NO_LONGER_MANY}. An update costs time proportional to the changed
 * Services. For one thread.
 */
public final class ManyLimit {
    /** More than these are many. */
    public static final int MANY = 1000;

    private static final int NO_LONGER_MANY = 900;

    private final ToIntBiFunction<ServiceSnapshot, ServicePortName> count;
    private final Map<ServicePortName, Integer> counts = new HashMap<>();
    private int total;
    private boolean many;

    /**
     * There is nothing yet.
     *
     * @param count how many a service port has; it need not be in the snapshot
     */
    public ManyLimit(ToIntBiFunction<ServiceSnapshot, ServicePortName> count) {
        this.count = count;
    }

    /** Counts everything anew. */
    public void recount(ServiceSnapshot snapshot) {
        counts.clear();
        total = 0;
        update(snapshot, snapshot.services().keySet());
    }

    /** Counts these service ports anew. */
    public void update(ServiceSnapshot snapshot, Collection<ServicePortName> changed) {
        for (ServicePortName name : changed) {
            int now = count.applyAsInt(snapshot, name);
            Integer before = now == 0 ? counts.remove(name) : counts.put(name, now);
            total += now - (before == null ? 0 : before);
        }
    }

    /** Whether there are many. */
    public boolean isExceeded() {
        many = total > (many ? NO_LONGER_MANY : MANY);
        return many;
    }
}
