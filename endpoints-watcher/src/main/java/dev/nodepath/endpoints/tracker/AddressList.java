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
 * Addresses in little room: 8 bytes for an IPv4 address of a shared state, where objects of their own take 70. Immutable;
 * an element is made anew whenever it is asked for. In the order of their text, so IPv4 comes first.
 */
public final class AddressList extends AbstractList<Address> implements RandomAccess {
    /**
     * Which of two entries for one address holds. A pod that ends may leave its address to the next one while its entry is
     * still there, so the one that is not terminating does. While an endpoint moves from slice to slice both may name it, one
     * of them late; then one that takes connections is preferred, so that a move does not look like an outage.
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
            // With any port, as that is what the text of endpoints ends in.
            sorted.merge(
                    address.ip().withPort(0),
                    address,
                    (first, other) -> PREFERENCE.compare(other.state(), first.state()) > 0 ? other : first);
        }
        return inOrder(List.copyOf(sorted.values()));
    }

    /** These addresses, which are in order; one may be there more than once. */
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

    /** As any list, without making elements if the other one is of this class. */
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
