package dev.nodepath.endpoints;

import dev.nodepath.endpoints.EndpointSlice.Address;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.RandomAccess;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A compact, immutable list of endpoint addresses. An IPv4 address takes 8 bytes if its state is shared; an object
 * would take 70. Each access creates a new element. Addresses are sorted by their text, so IPv4 comes first.
 */
public final class AddressList extends AbstractList<Address> implements RandomAccess {
    /**
     * Orders two entries of one address by preference. An entry that is not terminating comes first, because a new pod
     * may get the address of a terminating pod. Next comes an entry that takes connections: while an endpoint moves
     * between slices, one of its two entries may be outdated.
     */
    static final Comparator<EndpointState> PREFERENCE = Comparator.comparing(
                    EndpointState::terminating, Comparator.reverseOrder())
            .thenComparing(EndpointState::ready)
            .thenComparing(EndpointState::serving)
            .thenComparing(state -> !state.nodeName().isEmpty());

    private static final int IPV6_WORDS = 4;
    private static final long LOW = 0xFFFF_FFFFL;

    private final int ipv4;
    private final int[] words;
    private final EndpointState[] states;

    private AddressList(int ipv4, int[] words, EndpointState[] states) {
        this.ipv4 = ipv4;
        this.words = words;
        this.states = states;
    }

    /** A list of the given addresses. Of several entries of one address it keeps the preferred one. */
    static AddressList of(Collection<Address> addresses) {
        if (addresses instanceof AddressList already) {
            return already;
        }
        TreeMap<String, Address> sorted = new TreeMap<>();
        for (Address address : addresses) {
            // The text of an endpoint ends in a port. Any port will do here.
            sorted.merge(
                    address.ip().withPort(0),
                    address,
                    (first, other) -> PREFERENCE.compare(other.state(), first.state()) > 0 ? other : first);
        }
        return inOrder(List.copyOf(sorted.values()));
    }

    /** A list of addresses that are sorted already. They may have duplicates. */
    static AddressList inOrder(List<Address> addresses) {
        int ipv4 = 0;
        while (ipv4 < addresses.size() && addresses.get(ipv4).ip().family() == IpFamily.IPV4) {
            ipv4++;
        }
        int[] words = new int[ipv4 + IPV6_WORDS * (addresses.size() - ipv4)];
        EndpointState[] states = new EndpointState[addresses.size()];
        int at = 0;
        for (int i = 0; i < states.length; i++) {
            IpAddress ip = addresses.get(i).ip();
            states[i] = addresses.get(i).state();
            if (i >= ipv4) {
                words[at++] = (int) (ip.high() >>> 32);
                words[at++] = (int) ip.high();
                words[at++] = (int) (ip.low() >>> 32);
            }
            words[at++] = (int) ip.low();
        }
        return new AddressList(ipv4, words, states);
    }

    @Override
    public Address get(int index) {
        return new Address(ip(index), state(index));
    }

    @Override
    public int size() {
        return states.length;
    }

    IpAddress ip(int index) {
        if (index < ipv4) {
            return new IpAddress(IpFamily.IPV4, 0, words[index] & LOW);
        }
        int at = ipv4 + IPV6_WORDS * (index - ipv4);
        return new IpAddress(IpFamily.IPV6, pair(at), pair(at + 2));
    }

    EndpointState state(int index) {
        return states[index];
    }

    /** Equals any list of the same elements. Creates no elements if the other list is an AddressList. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AddressList list
                ? ipv4 == list.ipv4 && Arrays.equals(words, list.words) && Arrays.equals(states, list.states)
                : super.equals(other);
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }

    private long pair(int at) {
        return ((long) words[at] << 32) | (words[at + 1] & LOW);
    }
}
