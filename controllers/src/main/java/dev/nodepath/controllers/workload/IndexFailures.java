package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.object.Meta;
import java.time.Instant;

/** The failures of one completion index, of a Job with {@code backoffLimitPerIndex} (KEP-3850). */
final class IndexFailures {
    private final FailureBackOff backOff = new FailureBackOff();
    private int counted;
    private int ignored;

    void add(boolean ignore, Instant now) {
        backOff.failed(now);
        if (ignore) {
            ignored++;
        } else {
            counted++;
        }
    }

    /** Those that the limit is for. */
    int counted() {
        return counted;
    }

    /** When the next Pod of the index may be created. */
    Instant nextStart() {
        return backOff.next();
    }

    /** Says in annotations of the next Pod how many there were. */
    void note(ObjectNode pod) {
        Meta.annotate(pod, "batch.kubernetes.io/job-index-failure-count", String.valueOf(counted));
        if (ignored > 0) {
            Meta.annotate(pod, "batch.kubernetes.io/job-index-ignored-failure-count", String.valueOf(ignored));
        }
    }
}
