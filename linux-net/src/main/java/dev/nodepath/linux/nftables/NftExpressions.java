package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.netlink.NetlinkRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes a rule's statements as the expressions that the kernel evaluates ({@code nf_tables.h}). */
final class NftExpressions {
    private static final int LIST_ELEMENT = 1;
    private static final int NAME = 1;
    private static final int DATA = 2;
    private static final int DATA_VALUE = 1;
    private static final int DATA_VERDICT = 2;
    private static final int REGISTER_VERDICT = 0;
    private static final int REGISTER = 1;
    private static final int META_INPUT_NAME = 6;
    private static final int META_PROTOCOL_FAMILY = 15;
    private static final int BASE_LINK = 0;
    private static final int BASE_NETWORK = 1;
    private static final int EQUAL = 0;
    private static final int NOT_EQUAL = 1;
    private static final int VERDICT_DROP = 0;
    private static final int VERDICT_JUMP = -3;
    private static final int VERDICT_RETURN = -5;
    private static final int LINK_NAME_BYTES = 16;
    private static final int ETHER_SOURCE_OFFSET = 6;

    private final NetlinkRequest request;

    NftExpressions(NetlinkRequest request) {
        this.request = request;
    }

    void write(NftStatement statement) {
        if (statement instanceof NftStatement.SourceIn match) {
            family(match.network());
            address(match.network(), match.network().family() == IpFamily.IPV4 ? 12 : 8, EQUAL);
        } else if (statement instanceof NftStatement.DestinationIn match) {
            family(match.network());
            destination(match.network(), EQUAL);
        } else if (statement instanceof NftStatement.DestinationNotIn match) {
            family(match.network());
            destination(match.network(), NOT_EQUAL);
        } else if (statement instanceof NftStatement.InputInterface match) {
            meta(META_INPUT_NAME);
            compare(EQUAL, Arrays.copyOf(match.name().getBytes(StandardCharsets.UTF_8), LINK_NAME_BYTES));
        } else if (statement instanceof NftStatement.EtherSource match) {
            payload(BASE_LINK, ETHER_SOURCE_OFFSET, MacAddress.LENGTH);
            compare(EQUAL, match.mac().toBytes());
        } else if (statement instanceof NftStatement.Masquerade) {
            end(begin("masq"));
        } else if (statement instanceof NftStatement.Jump jump) {
            verdict(VERDICT_JUMP, jump.chain());
        } else if (statement instanceof NftStatement.Return) {
            verdict(VERDICT_RETURN, "");
        } else if (statement instanceof NftStatement.Drop) {
            verdict(VERDICT_DROP, "");
        }
    }

    /** An {@code inet} table sees both families. Their headers hold the addresses at different offsets. */
    private void family(Cidr network) {
        meta(META_PROTOCOL_FAMILY);
        compare(EQUAL, new byte[] {(byte) network.family().addressFamily()});
    }

    private void destination(Cidr network, int operator) {
        address(network, network.family() == IpFamily.IPV4 ? 16 : 24, operator);
    }

    private void address(Cidr network, int offset, int operator) {
        byte[] bytes = network.network().address().toBytes();
        payload(BASE_NETWORK, offset, bytes.length);
        if (network.prefixLength() < network.family().bits()) {
            mask(network);
        }
        compare(operator, bytes);
    }

    private void mask(Cidr network) {
        int length = network.family().bits() / 8;
        byte[] mask = new byte[length];
        for (int bit = 0; bit < network.prefixLength(); bit++) {
            mask[bit / 8] |= (byte) (0x80 >>> (bit % 8));
        }
        int[] start = begin("bitwise");
        number(1, REGISTER);
        number(2, REGISTER);
        number(3, length);
        value(4, mask);
        value(5, new byte[length]);
        end(start);
    }

    private void meta(int key) {
        int[] start = begin("meta");
        number(1, REGISTER);
        number(2, key);
        end(start);
    }

    private void payload(int base, int offset, int length) {
        int[] start = begin("payload");
        number(1, REGISTER);
        number(2, base);
        number(3, offset);
        number(4, length);
        end(start);
    }

    private void compare(int operator, byte[] bytes) {
        int[] start = begin("cmp");
        number(1, REGISTER);
        number(2, operator);
        value(3, bytes);
        end(start);
    }

    private void verdict(int code, String chain) {
        int[] start = begin("immediate");
        number(1, REGISTER_VERDICT);
        int data = request.begin(2 | NetlinkRequest.NESTED);
        int verdict = request.begin(DATA_VERDICT | NetlinkRequest.NESTED);
        number(1, code);
        if (!chain.isEmpty()) {
            request.attribute(2, chain);
        }
        request.end(verdict).end(data);
        end(start);
    }

    private void number(int type, int value) {
        NetlinkRequest unused = NftMessages.number(request, type, value);
    }

    private void value(int type, byte[] bytes) {
        int nested = request.begin(type | NetlinkRequest.NESTED);
        request.attribute(DATA_VALUE, bytes).end(nested);
    }

    private int[] begin(String name) {
        int element = request.begin(LIST_ELEMENT | NetlinkRequest.NESTED);
        request.attribute(NAME, name);
        return new int[] {element, request.begin(DATA | NetlinkRequest.NESTED)};
    }

    private void end(int[] start) {
        request.end(start[1]).end(start[0]);
    }
}
