package dev.nodepath.linux.iptables;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses the output of {@code iptables-save} while the command runs. That takes 0.2 s for 40 000 rules, on a second
 * processor. For one listing.
 */
public final class ListingReader {
    private static final int CHUNK_BYTES = 64 << 10;
    private static final Map<String, Table> NAMES = names();

    private final InputStream listing;
    private final Map<Table, SavedTable> tables = new EnumMap<>(Table.class);
    private byte[] buffer = new byte[CHUNK_BYTES];
    private int filled;

    /** The table of the current lines. Null before the first and in an unknown table. */
    private @Nullable Table table;

    private SavedTable.Builder lines = new SavedTable.Builder();

    /** Reads from this stream, which the caller closes. */
    public ListingReader(InputStream listing) {
        this.listing = listing;
    }

    /** The tables of the whole listing. */
    public Map<Table, SavedTable> read() throws IOException {
        for (int read = fill(); read >= 0; read = fill()) {
            int searched = filled;
            filled += read;
            int start = 0;
            for (int at = searched; at < filled; at++) {
                if (buffer[at] == '\n') {
                    line(start, at);
                    start = at + 1;
                }
            }
            System.arraycopy(buffer, start, buffer, 0, filled - start);
            filled -= start;
        }
        line(0, filled);
        endTable();
        return tables;
    }

    private int fill() throws IOException {
        if (filled == buffer.length) {
            buffer = Arrays.copyOf(buffer, 2 * buffer.length);
        }
        return listing.read(buffer, filled, buffer.length - filled);
    }

    private void line(int from, int to) {
        if (to > from && buffer[from] == '*') {
            endTable();
            table = NAMES.get(new String(buffer, from + 1, to - from - 1, StandardCharsets.UTF_8));
        } else if (table != null) {
            lines.add(buffer, from, to);
        }
    }

    private void endTable() {
        if (table != null) {
            tables.put(table, lines.build());
        }
        lines = new SavedTable.Builder();
        table = null;
    }

    private static Map<String, Table> names() {
        Map<String, Table> names = new HashMap<>();
        for (Table each : Table.values()) {
            names.put(each.toString(), each);
        }
        return names;
    }
}
