package dev.nodepath.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.EndpointSlice.Address;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class AddressListTest {
    @RepeatedTest(50)
    void holdsWhatItWasGivenInTheOrderOfItsText() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Address> plain = new ArrayList<>();
        for (int i = random.nextInt(20); i > 0; i--) {
            Address address = new Address(ip(random), state(random));
            if (plain.stream().noneMatch(one -> one.ip().equals(address.ip()))) {
                plain.add(address);
            }
        }
        AddressList list = AddressList.of(plain);
        plain.sort(Comparator.comparing(address -> address.ip().withPort(80)));

        assertThat(List.copyOf(list)).as("seed %d", seed).isEqualTo(plain);
        assertThat(list.hashCode()).isEqualTo(plain.hashCode());
        Collections.shuffle(plain, random);
        assertThat(AddressList.of(plain)).as("seed %d", seed).isEqualTo(list);

        List<Endpoint> endpoints = list.isEmpty() ? List.of() : new EndpointList(list, 65_535).subList(0, list.size());
        assertThat(endpoints)
                .as("seed %d", seed)
                .isEqualTo(list.stream()
                        .map(address -> new Endpoint(address.ip(), 65_535, address.state()))
                        .toList());
    }

    @Test
    void ofTwoEntriesTheOneThatTakesConnectionsHolds() {
        Address dead = new Address(IpAddress.parse("10.0.0.1"), "n1", false, false, true);
        Address ready = new Address(IpAddress.parse("10.0.0.1"), "n1", true, true, false);

        assertThat(List.copyOf(AddressList.of(List.of(dead, ready)))).containsExactly(ready);
        assertThat(List.copyOf(AddressList.of(List.of(ready, dead)))).containsExactly(ready);
    }

    /** The address of a pod that ends is the next one's already, which does not take connections yet. */
    @Test
    void ofTwoEntriesTheOneThatIsNotTerminatingHolds() {
        Address ending = new Address(IpAddress.parse("10.0.0.1"), "n1", false, true, true);
        Address starting = new Address(IpAddress.parse("10.0.0.1"), "n2", false, false, false);

        assertThat(List.copyOf(AddressList.of(List.of(ending, starting)))).containsExactly(starting);
        assertThat(List.copyOf(AddressList.of(List.of(starting, ending)))).containsExactly(starting);
    }

    @Test
    void ofTwoEntriesTheOneThatNamesItsNodeHolds() {
        Address placed = new Address(IpAddress.parse("10.0.0.1"), "n1", true, true, false);
        Address anywhere = new Address(IpAddress.parse("10.0.0.1"), "", true, true, false);

        assertThat(List.copyOf(AddressList.of(List.of(anywhere, placed)))).containsExactly(placed);
        assertThat(List.copyOf(AddressList.of(List.of(placed, anywhere)))).containsExactly(placed);
    }

    @Test
    void differsWhereAnElementDiffers() {
        Address one = new Address(IpAddress.parse("10.0.0.1"), "n1", true, true, false);
        Address other = new Address(IpAddress.parse("10.0.0.1"), "n2", true, true, false);
        AddressList list = AddressList.of(List.of(one));

        assertThat(list).isNotEqualTo(AddressList.of(List.of(other))).isNotEqualTo(AddressList.of(List.of()));
        assertThat(new EndpointList(list, 80)).isNotEqualTo(new EndpointList(list, 81));
        assertThat(new EndpointList(list, 80)).isEqualTo(new EndpointList(list, new char[] {80}));
    }

    private static IpAddress ip(Random random) {
        byte[] bytes = new byte[random.nextBoolean() ? 4 : 16];
        random.nextBytes(bytes);
        if (random.nextBoolean()) {
            bytes[0] = 10;
        }
        return IpAddress.of(bytes);
    }

    private static EndpointState state(Random random) {
        return new EndpointState("n" + random.nextInt(2), random.nextBoolean(), true, false, TopologyHints.NONE);
    }
}
