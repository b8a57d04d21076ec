package dev.nodepath.endpoints;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * A list of endpoints, as addresses and ports. It may share the addresses of a slice. Immutable. Each access makes a
 * new element.
 */
final class EndpointList extends AbstractList<Endpoint> implements RandomAccess {
    private final AddressList addresses;
    /** One port for each address, or a single one if all are the same. */
    private final char[] ports;

    EndpointList(AddressList addresses, int port) {
        this(addresses, new char[] {(char) port});
    }

    EndpointList(AddressList addresses, char[] ports) {
        this.addresses = addresses;
        boolean same = true;
        for (char port : ports) {
            same &= port == ports[0];
        }
        this.ports = same ? new char[] {ports[0]} : ports.clone();
    }

    @Override
    public Endpoint get(int index) {
        return new Endpoint(addresses.ip(index), ports[ports.length == 1 ? 0 : index], addresses.state(index));
    }

    @Override
    public int size() {
        return addresses.size();
    }

    /** Equals any list of the same elements. Creates no elements if the other list is an EndpointList. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof EndpointList list
                ? Arrays.equals(ports, list.ports) && addresses.equals(list.addresses)
                : super.equals(other);
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
