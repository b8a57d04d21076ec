package dev.nodepath.endpoints.tracker;

import dev.nodepath.endpoints.EndpointState;
import dev.nodepath.endpoints.tracker.EndpointSlice.Address;
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
 * A compact list of addresses: 8 bytes for an IPv4 address with a shared state, in place of 70 for an object.
 * Immutable. Each access makes a new element. The order is that of the text, so IPv4 comes first.
 */
public final class AddressList extends AbstractList<Address> implements RandomAccess {
    /**
     * Chooses between two entries of one address. An entry that is not terminating wins: a new pod may get the address
     * of a pod that ends. Then an entry that takes connections wins: while an endpoint moves between slices both may
     * name it, and one of them may be outdated.
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

    /** These addresses, each once. */
    static AddressList of(Collection<Address> addresses) {
        if (addresses instanceof AddressList already) {
            return already;
        }
        TreeMap<String, Address> sorted = new TreeMap<>();
        for (Address address : addresses) {
            // With any port, because the text of endpoints ends in one.
            sorted.merge(
                    address.ip().withPort(0),
                    address,
                    (first, other) -> PREFERENCE.compare(other.state(), first.state()) > 0 ? other : first);
        }
        return inOrder(List.copyOf(sorted.values()));
    }

    /** These addresses, which are sorted and may have duplicates. */
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

    /** As in any list, but without new elements if the other list is of this class. */
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
