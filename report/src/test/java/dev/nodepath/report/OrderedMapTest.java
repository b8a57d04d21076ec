package dev.nodepath.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OrderedMapTest {
    @Test
    void keepsTheOrder() {
        Map<String, Integer> map = new LinkedHashMap<>();
        map.put("z", 1);
        map.put("a", 2);
        assertThat(OrderedMap.copyOf(map)).containsExactly(Map.entry("z", 1), Map.entry("a", 2));
    }

    @Test
    @SuppressWarnings("NullAway") // as JSON may have it
    void namesAValueThatIsNull() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("kernel", null);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OrderedMap.copyOf(map))
                .withMessage("kernel: null (expected: a value)");
    }
}
