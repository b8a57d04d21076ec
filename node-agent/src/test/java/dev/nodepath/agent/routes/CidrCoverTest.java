package dev.nodepath.agent.routes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CidrCoverTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.0.0.0/24 10.0.1.0/24 | 10.0.0.0/23",
                "10.0.1.0/24 10.0.2.0/24 | 10.0.1.0/24 10.0.2.0/24",
                "10.0.0.0/24 10.0.1.0/24 10.0.2.0/24 10.0.3.0/24 | 10.0.0.0/22",
                "10.0.0.0/8 10.1.0.0/16 10.0.0.0/8 | 10.0.0.0/8",
                "0.0.0.0/1 128.0.0.0/1 | 0.0.0.0/0",
                "200.0.0.0/8 201.0.0.0/8 9.0.0.0/8 | 9.0.0.0/8 200.0.0.0/7",
                "10.0.0.7/24 | 10.0.0.0/24",
                "fd00::/64 fd00:0:0:1::/64 10.0.0.0/24 | 10.0.0.0/24 fd00::/63",
            })
    void coversWithTheFewest(String networks, String cover) {
        assertThat(CidrCover.of(parse(networks))).isEqualTo(parse(cover));
    }

    @Test
    void wholeClusterIsOneNetwork() {
        List<Cidr> all = IntStream.range(0, 256)
                .mapToObj(i -> Cidr.parse("10.244." + i + ".0/24"))
                .toList();
        assertThat(CidrCover.of(all)).containsExactly(Cidr.parse("10.244.0.0/16"));
        assertThat(CidrCover.of(List.of())).isEmpty();
    }

    private static List<Cidr> parse(String text) {
        return Stream.of(text.split(" ")).map(Cidr::parse).toList();
    }
}
