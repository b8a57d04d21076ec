package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AbbreviatedKeyTest {
    static Stream<List<String>> names() {
        return Stream.of(
                List.of(),
                List.of("ONE"),
                List.of("KUBE-B", "KUBE", "KUBE-A", ""),
                List.of("KUBE-SEP-ABCDEFGH2", "KUBE-SEP-ABCDEFGH1", "KUBE-SVC-A", "KUBE-SERVICES"),
                List.of("A\u0100A", "A\u00ffB"),
                List.of("A\u00ff", "A\u0100", "A\u00fe", "A\u20ac", "A\u0000", "A"),
                random());
    }

    /** Names of few characters, so that many begin alike. */
    private static List<String> random() {
        Random random = new Random(4);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            StringBuilder name = new StringBuilder("KUBE-");
            random.ints(random.nextInt(20), 'A', 'D').forEach(name::appendCodePoint);
            names.add(name.toString());
        }
        return names;
    }

    @ParameterizedTest
    @MethodSource("names")
    void sortsAsTextsAreSorted(List<String> names) {
        assertThat(AbbreviatedKey.sorted(names))
                .isEqualTo(names.stream().sorted().toList());
    }
}
