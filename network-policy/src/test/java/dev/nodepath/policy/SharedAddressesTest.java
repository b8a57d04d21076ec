package dev.nodepath.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.object.PolicyPod;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;

/** Pods come, go and show addresses of others at random. */
class SharedAddressesTest {
    private static final int STEPS = 200;
    private static final int PODS = 6;
    private static final int ADDRESSES = 4;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Repetitions.of(10, 1000));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void eachAddressThatIsShownHasOnePodAndEveryChangeIsTold(long seed) {
        Random random = new Random(seed);
        SharedAddresses shared = new SharedAddresses();
        PMap<NamespacedName, PolicyPod> pods = HashTreePMap.empty();
        PMap<NamespacedName, PolicyPod> before = HashTreePMap.empty();
        for (int step = 1; step <= STEPS; step++) {
            Set<NamespacedName> told = new HashSet<>();
            for (int changes = random.nextInt(4); changes > 0; changes--) {
                NamespacedName name = new NamespacedName("x", "p" + random.nextInt(PODS));
                pods = random.nextInt(4) == 0 ? pods.minus(name) : pods.plus(name, pod(name, random));
                told.add(name);
            }
            PMap<NamespacedName, PolicyPod> divided = shared.divide(pods, List.copyOf(told), told::add);
            String where = "seed " + seed + ", step " + step;
            assertThat(shown(divided))
                    .as(where)
                    .doesNotHaveDuplicates()
                    .containsOnlyOnceElementsOf(shown(pods).stream().distinct().toList());
            assertThat(Stream.concat(before.keySet().stream(), divided.keySet().stream()))
                    .as(where)
                    .filteredOn(new Different(before, divided)::has)
                    .isSubsetOf(told);
            before = divided;
        }
    }

    /** The differences between two moments. */
    private record Different(Map<NamespacedName, PolicyPod> before, Map<NamespacedName, PolicyPod> after) {
        boolean has(NamespacedName pod) {
            return !Objects.equals(before.get(pod), after.get(pod));
        }
    }

    private static PolicyPod pod(NamespacedName name, Random random) {
        List<IpAddress> addresses = new ArrayList<>();
        for (int count = random.nextInt(4); count > 0; count--) {
            addresses.add(IpAddress.parse("10.244.1." + (1 + random.nextInt(ADDRESSES))));
        }
        return new PolicyPod(name, "", "n1", Map.of(), addresses, List.of());
    }

    private static List<IpAddress> shown(Map<NamespacedName, PolicyPod> pods) {
        return pods.values().stream()
                .flatMap(pod -> pod.addresses().stream().distinct())
                .toList();
    }
}
