package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.trace.LocalAddresses;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedFlow;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftValue;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Tells whether a match of a rule holds for a flow. */
final class MatchEvaluator {
    private final TracedPacket packet;
    private final LocalAddresses local;
    private final NamedSets sets;

    MatchEvaluator(TracedPacket packet, LocalAddresses local, NamedSets sets) {
        this.packet = packet;
        this.local = local;
        this.sets = sets;
    }

    /**
     * Whether a match holds; empty if the statement is no match.
     *
     * @param link the link that received the packet; empty if there is none
     * @param elements gets the elements found in sets
     */
    Optional<Boolean> holds(NftStatement statement, TracedFlow flow, String link, List<Trace.Element> elements) {
        if (statement instanceof NftStatement.NewConnection) {
            return Optional.of(true);
        } else if (statement instanceof NftStatement.Protocol match) {
            return Optional.of(match.number() == packet.protocol().number());
        } else if (statement instanceof NftStatement.AddressIn match) {
            IpAddress address = address(match.field(), flow);
            return Optional.of(
                    match.networks().stream().anyMatch(network -> network.contains(address)) != match.negated());
        } else if (statement instanceof NftStatement.AddressLocal match) {
            return Optional.of(local.contains(address(match.field(), flow)));
        } else if (statement instanceof NftStatement.InputInterface match) {
            return Optional.of(isLink(match.name(), link) != match.negated());
        } else if (statement instanceof NftStatement.MarkHas match) {
            return Optional.of((flow.mark() & match.bits()) != 0);
        } else if (statement instanceof NftStatement.DestinationTranslated) {
            return Optional.of(flow.translated());
        } else if (statement instanceof NftStatement.InSet lookup) {
            boolean found =
                    sets.find(lookup.set(), key(lookup.key(), flow), elements).isPresent();
            return Optional.of(found != lookup.negated());
        } else {
            return Optional.empty();
        }
    }

    private static boolean isLink(String pattern, String link) {
        return pattern.endsWith("*")
                ? link.startsWith(pattern.substring(0, pattern.length() - 1))
                : pattern.equals(link);
    }

    /** The key that these fields of the packet make. Each field of a concatenation is padded to 4 bytes. */
    NftValue key(List<NftField> fields, TracedFlow flow) {
        if (fields.size() == 1) {
            return NftValue.of(bytes(fields.get(0), flow));
        }
        ByteArrayOutputStream key = new ByteArrayOutputStream();
        for (NftField field : fields) {
            byte[] bytes = bytes(field, flow);
            key.writeBytes(Arrays.copyOf(
                    bytes, field.type(packet.destination().family()).paddedBytes()));
        }
        return NftValue.of(key.toByteArray());
    }

    private byte[] bytes(NftField field, TracedFlow flow) {
        return switch (field) {
            case SOURCE_ADDRESS, DESTINATION_ADDRESS -> address(field, flow).toBytes();
            case PROTOCOL -> new byte[] {(byte) packet.protocol().number()};
            case DESTINATION_PORT -> NftValue.ofPort(flow.port()).bytes();
            default ->
                throw new IllegalArgumentException(
                        "field of a packet: " + field + " (expected: an address, a protocol or a port)");
        };
    }

    private IpAddress address(NftField field, TracedFlow flow) {
        return field == NftField.SOURCE_ADDRESS ? packet.source() : flow.address();
    }
}
