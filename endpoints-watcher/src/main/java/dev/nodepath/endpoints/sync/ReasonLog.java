package dev.nodepath.endpoints.sync;

import dev.nodepath.linux.address.IpFamily;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;

/** Logs each refused service port of a family once, and again with a new reason. */
public final class RefusalLog<K> {
    private final Logger log;
    private final IpFamily family;
    private Map<K, String> reported = Map.of();

    /** Has logged nothing yet. */
    public RefusalLog(Logger log, IpFamily family) {
        this.log = log;
        this.family = family;
    }

    /** The service ports that are refused now, with the reason of each. */
    public void report(SortedMap<K, String> refused) {
        refused.forEach((name, reason) -> {
            if (!reason.equals(reported.get(name))) {
                log.atError()
                        .addKeyValue("family", family)
                        .addKeyValue("service_port", name)
                        .addKeyValue("error", reason)
                        .log("rules.service_refused");
            }
        });
        reported = new TreeMap<>(refused);
    }
}
