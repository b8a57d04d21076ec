package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftText;
import dev.nodepath.linux.nftables.NftValue;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The sets and maps of a table, for look-ups. Elements that packets have added are not there. */
final class NamedSets {
    /** The bytes of a port after an address: it is padded to a register. */
    private static final int PORT_BYTES = 4;

    private final NftTableState table;

    NamedSets(NftTableState table) {
        this.table = table;
    }

    /** The element with this key, or empty; it is also added to the found ones. */
    Optional<NftElement> find(String name, NftValue key, List<Trace.Element> found) {
        NftTableState.Elements content = table.sets().get(name);
        if (content == null) {
            throw new IllegalArgumentException("@" + name + " (expected: a set or map of table " + table.table() + ")");
        }
        Optional<NftElement> element = Optional.ofNullable(content.elements().get(key));
        element.ifPresent(each -> found.add(new Trace.Element(name, NftText.element(content.set(), each))));
        return element;
    }

    /** An address and a port from a map's value. */
    static NftStatement.Destination destination(NftValue value) {
        byte[] bytes = value.bytes();
        int port = bytes.length - PORT_BYTES;
        return new NftStatement.Destination(
                IpAddress.of(Arrays.copyOf(bytes, port)),
                Short.toUnsignedInt(ByteBuffer.wrap(bytes).getShort(port)));
    }
}
