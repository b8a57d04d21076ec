package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContainerLimitsTest {
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "64Mi,  67108864, 100m, 100",
                "1e3,   1000,     2,    2000",
                "100m,  1,        0.1m, 1",
                "0,     -,        0,    -",
                "-,     -,        -,    -",
                "16E,   9223372036854775, 1, 1000",
            })
    void limitsAreThoseOfTheManifest(
            @Nullable String memory, @Nullable Long octets, @Nullable String cpu, @Nullable Long millis) {
        ObjectNode container = JsonNodeFactory.instance.objectNode();
        ObjectNode limits = container.putObject("resources").putObject("limits");
        limits.put("memory", memory).put("cpu", cpu);
        assertThat(ContainerLimits.of(container)).isEqualTo(new ContainerLimits(number(octets), number(millis)));
    }

    private static OptionalLong number(@Nullable Long number) {
        return number == null ? OptionalLong.empty() : OptionalLong.of(number);
    }
}
