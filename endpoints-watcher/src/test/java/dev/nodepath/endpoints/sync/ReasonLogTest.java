package dev.nodepath.endpoints.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ReasonLogTest {
    @Test
    void logsEachReasonOnceUntilItIsGone() {
        List<String> lines = new ArrayList<>();
        ReasonLog<String> log = new ReasonLog<>((name, reason) -> lines.add(name + ": " + reason));
        log.report(new TreeMap<>(Map.of("a", "full", "b", "full")));
        log.report(new TreeMap<>(Map.of("a", "full", "b", "taken")));
        log.report(new TreeMap<>(Map.of("b", "taken")));
        log.report(new TreeMap<>(Map.of("a", "full", "b", "taken")));
        assertThat(lines).containsExactly("a: full", "b: full", "b: taken", "a: full");
    }
}
