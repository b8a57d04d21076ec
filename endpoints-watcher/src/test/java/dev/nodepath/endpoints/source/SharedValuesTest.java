package dev.nodepath.endpoints.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import java.lang.ref.WeakReference;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Equal values become one object as long as it is in use. */
class SharedValuesTest {
    private final SharedValues values = new SharedValues();

    @Test
    void sharesTheFirstOfEqualValues() {
        Map<String, String> first = values.shared(Map.of("app", "web"));
        assertThat(values.shared(Map.of("app", "web"))).isSameAs(first);
        assertThat(values.shared(Map.of("app", "solo"))).isNotSameAs(first);
    }

    /** The labels of each Job's Pods are its own, and a cluster may run thousands in a day. */
    @Test
    void forgetsWhatNobodyHas() throws Exception {
        WeakReference<Object> ended = new WeakReference<>(values.shared(Map.of("job-name", "backup-1")));
        Eventually.isTrue(() -> "forgotten", () -> {
            System.gc();
            return ended.get() == null;
        });
        Map<String, String> next = Map.of("job-name", "backup-1");
        assertThat(values.shared(next)).isSameAs(next);
    }
}
