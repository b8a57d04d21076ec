package dev.nodepath.endpoints.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Rfc3339Test {
    @ParameterizedTest
    @CsvSource({
        "2026-11-20T10:00:01Z, 2026-11-20T10:00:01Z",
        "2026-11-20T10:00:00.5Z, 2026-11-20T10:00:00.500Z",
        "2026-11-20T10:00:00.000000001Z, 2026-11-20T10:00:00.000000001Z",
        "2026-11-20T10:00:00+01:30, 2026-11-20T08:30:00Z",
        "2028-02-29T23:59:59Z, 2028-02-29T23:59:59Z",
        "1969-12-31T23:59:59.9Z, 1969-12-31T23:59:59.900Z",
    })
    void readsTimesAsKubernetesWritesThem(String text, Instant time) {
        assertThat(Rfc3339.parse(text)).isEqualTo(time);
    }

    @Test
    void readsTheSameLanguageAsTheJdk() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int times = 0;
        for (int i = 0; i < 200_000; i++) {
            StringBuilder text = new StringBuilder("%04d-%02d-%02dT%02d:%02d:%02d"
                    .formatted(
                            random.nextInt(10_000),
                            random.nextInt(14),
                            random.nextInt(33),
                            random.nextInt(26),
                            random.nextInt(62),
                            random.nextInt(62)));
            if (random.nextBoolean()) {
                text.append('.');
                for (int digits = random.nextInt(11); digits > 0; digits--) {
                    text.append(random.nextInt(10));
                }
            }
            text.append(random.nextInt(4) == 0 ? "+02:00" : "Z");
            if (random.nextInt(4) == 0) {
                text.setCharAt(random.nextInt(text.length()), "0123456789.:-+TZtz \u0661".charAt(random.nextInt(20)));
            }
            Optional<Instant> expected = read(() -> OffsetDateTime.parse(text).toInstant());
            times += expected.isPresent() ? 1 : 0;
            assertThat(read(() -> Rfc3339.parse(text.toString())))
                    .as("seed %s: \"%s\"", seed, text)
                    .isEqualTo(expected);
        }
        assertThat(times).as("seed %s", seed).isGreaterThan(1000);
    }

    private static Optional<Instant> read(Supplier<Instant> reading) {
        try {
            return Optional.of(reading.get());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
