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

    /** The number of failures that count towards {@code backoffLimitPerIndex}. */
    int counted() {
        return counted;
    }

    /** The earliest time of the index' next Pod. */
    Instant nextStart() {
        return backOff.next();
    }

    /** Writes the number of failures into annotations of the next Pod. */
    void note(ObjectNode pod) {
        Meta.annotate(pod, "batch.kubernetes.io/job-index-failure-count", String.valueOf(counted));
        if (ignored > 0) {
            Meta.annotate(pod, "batch.kubernetes.io/job-index-ignored-failure-count", String.valueOf(ignored));
        }
    }
}
