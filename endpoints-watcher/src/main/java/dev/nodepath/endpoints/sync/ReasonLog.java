package dev.nodepath.endpoints.sync;

import dev.nodepath.linux.address.IpFamily;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;

/** Logs each thing that has a reason once, and again with a new reason. It forgets what a report lacks. */
public final class ReasonLog<K> {
    private final BiConsumer<K, String> log;
    private Map<K, String> logged = Map.of();

    /** Has logged nothing yet. */
    public ReasonLog(BiConsumer<K, String> log) {
        this.log = log;
    }

    /** For service ports of a family that the kernel refuses. */
    public static <K> ReasonLog<K> ofRefusals(Logger log, IpFamily family) {
        return new ReasonLog<>((name, reason) -> log.atError()
                .addKeyValue("family", family)
                .addKeyValue("service_port", name)
                .addKeyValue("error", reason)
                .log("rules.service_refused"));
    }

    /** What has a reason now. */
    public void report(SortedMap<K, String> reasons) {
        reasons.forEach((name, reason) -> {
            if (!reason.equals(logged.get(name))) {
                log.accept(name, reason);
            }
        });
        logged = new TreeMap<>(reasons);
    }
}
