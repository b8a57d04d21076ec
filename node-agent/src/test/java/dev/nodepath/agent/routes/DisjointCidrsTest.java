package dev.nodepath.agent.routes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DisjointCidrsTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.1.0/24, 10.0.1.0/24, true",
        "10.0.1.0/24, 10.0.1.128/25, true",
        "10.0.1.0/24, 10.0.0.0/16, true",
        "10.0.1.0/24, 10.0.2.0/24, false",
        "10.0.1.0/24, 10.0.0.0/24, false",
        "10.0.1.0/24, ::/0, false",
        "fd00::/64, fd00::1:0/112, true",
        "255.255.255.0/24, 255.255.255.255/32, true"
    })
    void tellsWhatOverlaps(String first, String second, boolean overlaps) {
        DisjointCidrs networks = new DisjointCidrs();
        assertThat(networks.add(Cidr.parse(first))).isEmpty();
        assertThat(networks.add(Cidr.parse(second)).isPresent()).isEqualTo(overlaps);
    }

    @Test
    void agreesWithALookAtEachOfThem() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        DisjointCidrs networks = new DisjointCidrs();
        List<Cidr> added = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            Cidr next = Cidr.parse(
                            "10.0." + random.nextInt(256) + "." + random.nextInt(256) + "/" + random.nextInt(14, 33))
                    .network();
            boolean isFree = added.stream().noneMatch(next::overlaps);
            assertThat(networks.add(next).isEmpty())
                    .as("%s of seed %s", next, seed)
                    .isEqualTo(isFree);
            if (isFree) {
                added.add(next);
            }
        }
    }
}
