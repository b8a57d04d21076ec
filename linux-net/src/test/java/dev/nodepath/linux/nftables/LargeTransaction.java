package dev.nodepath.linux.nftables;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** A program that makes a transaction of at least so many bytes, and prints the limit and the result. */
final class LargeTransaction {
    static final NftTable TABLE = new NftTable(NftFamily.IPV4, "large");
    private static final NftSet SET = new NftSet(TABLE, "addresses", List.of(NftDatatype.IPV4_ADDR), List.of(), "");
    private static final int ELEMENTS_IN_A_CHANGE = 1000;

    private LargeTransaction() {}

    /** The only argument is the number of bytes, or {@code over} for more than the limit. */
    public static void main(String... arguments) throws Exception {
        try (NftTables tables = new KernelLinuxNet().nftTables()) {
            System.out.println("limit " + tables.transactionBytesMax());
            System.out.println(make(
                    tables,
                    arguments[0].equals("over") ? tables.transactionBytesMax() + 1 : Integer.parseInt(arguments[0])));
        }
    }

    static String make(NftTables tables, int bytes) throws Exception {
        NftTransaction transaction =
                NftTransaction.of(List.of(new NftChange.AddTable(TABLE), new NftChange.AddSet(SET)));
        int elements = 0;
        while (transaction.bytes() < bytes) {
            transaction.add(new NftChange.AddElements(SET, elements(elements)));
            elements += ELEMENTS_IN_A_CHANGE;
        }
        try {
            tables.apply(transaction);
        } catch (LinuxNetException e) {
            return e.errno() + ", table: " + tables.read(TABLE).isPresent();
        }
        Optional<NftTableState> state = tables.read(TABLE);
        boolean whole = state.isPresent()
                && state.get().sets().values().iterator().next().elements().size() == elements;
        return "done, whole: " + whole;
    }

    static NftTransaction removal() {
        return NftTransaction.of(List.of(new NftChange.DeleteTable(TABLE)));
    }

    private static List<NftElement> elements(int first) {
        return IntStream.range(first, first + ELEMENTS_IN_A_CHANGE)
                .mapToObj(i -> new NftElement(
                        NftValue.of(IpAddress.parse("10.0.0.0").plus(i)), Optional.empty(), "x".repeat(100)))
                .toList();
    }
}
