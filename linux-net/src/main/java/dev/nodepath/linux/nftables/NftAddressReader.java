package dev.nodepath.linux.nftables;

import static dev.nodepath.linux.nftables.NftExpressions.EQUAL;
import static dev.nodepath.linux.nftables.NftExpressions.NOT_EQUAL;
import static dev.nodepath.linux.nftables.NftExpressions.REGISTER;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads a match of a packet's address with networks: a comparison, or a lookup in an anonymous set. */
final class NftAddressReader {
    private final IpFamily ip;
    private final Map<String, NftSetContent> anonymous;

    NftAddressReader(IpFamily ip, Map<String, NftSetContent> anonymous) {
        this.ip = ip;
        this.anonymous = anonymous;
    }

    /**
     * A match.
     *
     * @param count the number of its expressions
     */
    record Match(NftStatement statement, int count) {}

    /** The match that these three expressions begin with. */
    Optional<Match> read(NftExpression load, NftExpression second, NftExpression third) {
        for (NftField field : NftField.ADDRESSES) {
            int length = load.number(4);
            int offset = NftHeaders.offset(field, ip);
            if (load.isPayload(NftExpressions.BASE_NETWORK, offset, length, REGISTER)) {
                return read(field, length, second, third);
            }
        }
        return Optional.empty();
    }

    private Optional<Match> read(NftField field, int length, NftExpression second, NftExpression third) {
        int bytes = ip.bits() / 8;
        if (second.isCompare(EQUAL) || second.isCompare(NOT_EQUAL)) {
            byte[] value = second.value(3);
            return value.length != length || length > bytes
                    ? Optional.empty()
                    : Optional.of(match(field, network(value, length * 8), second, 2));
        }
        if (length != bytes) {
            return Optional.empty();
        }
        if (second.isBitwise() && (third.isCompare(EQUAL) || third.isCompare(NOT_EQUAL))) {
            int prefix = prefix(second.value(4));
            return prefix < 0 || third.value(3).length != bytes
                    ? Optional.empty()
                    : Optional.of(match(field, network(third.value(3), prefix), third, 3));
        }
        NftSetContent set = anonymous.get(second.data().text(NftExpressions.LOOKUP_SET));
        if (!second.is("lookup")
                || second.number(NftExpressions.LOOKUP_SOURCE) != REGISTER
                || second.data().has(NftExpressions.LOOKUP_DESTINATION)
                || set == null) {
            return Optional.empty();
        }
        boolean negated = second.number(NftExpressions.LOOKUP_FLAGS) == NftExpressions.LOOKUP_INVERTED;
        List<Cidr> networks = set.networks();
        return Optional.of(new Match(new NftStatement.AddressIn(field, networks, negated), 2));
    }

    private static Match match(NftField field, Cidr network, NftExpression compare, int count) {
        boolean negated = compare.isCompare(NOT_EQUAL);
        return new Match(new NftStatement.AddressIn(field, List.of(network), negated), count);
    }

    private Cidr network(byte[] value, int prefix) {
        return new Cidr(IpAddress.of(Arrays.copyOf(value, ip.bits() / 8)), prefix);
    }

    /** The number of ones at the beginning of a mask; -1 if there are others behind them. */
    private int prefix(byte[] mask) {
        int prefix = 0;
        while (prefix < mask.length * 8 && (mask[prefix / 8] & 0x80 >>> prefix % 8) != 0) {
            prefix++;
        }
        return Arrays.equals(mask, NftHeaders.mask(ip, prefix)) ? prefix : -1;
    }
}
