package dev.nodepath.dns;

import dev.nodepath.dns.RecordData.Address;
import dev.nodepath.dns.RecordData.Authority;
import dev.nodepath.dns.RecordData.Location;
import dev.nodepath.dns.RecordData.Target;
import dev.nodepath.dns.RecordData.Text;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the names and records of one message. A name, or an end of it, that was written before is written as a
 * pointer.
 */
final class RecordWriter {
    private static final int IN = 1;
    private static final int POINTER = 0xC000;
    private static final int POINTER_TARGET_MAX = 0x3FFF;
    /** Times in SOA records for servers that copy the zone; this zone does not need them. */
    private static final int REFRESH_SECONDS = 7200;

    private static final int RETRY_SECONDS = 1800;
    private static final int EXPIRE_SECONDS = 86400;

    private final ByteBuf out;
    private final int start;
    private final Map<List<String>, Integer> offsets = new HashMap<>();

    /** Writes to a buffer. The message starts at its writer index. */
    RecordWriter(ByteBuf out) {
        this.out = out;
        this.start = out.writerIndex();
    }

    void write(ResourceRecord resource) {
        writeName(resource.owner());
        out.writeShort(resource.type().intValue());
        out.writeShort(IN);
        out.writeInt(resource.ttl());
        int lengthAt = out.writerIndex();
        out.writeShort(0);
        writeData(resource.data());
        out.setShort(lengthAt, out.writerIndex() - lengthAt - Short.BYTES);
    }

    /**
     * Writes a name. After a record was taken back, no further name may be written: its pointer could lead to removed
     * bytes.
     */
    void writeName(DomainName name) {
        writeName(name, true);
    }

    private void writeName(DomainName name, boolean compressed) {
        for (int i = 0; i < name.size(); i++) {
            List<String> rest = name.folded().subList(i, name.size());
            Integer known = offsets.get(rest);
            int here = out.writerIndex();
            if (known != null && compressed) {
                out.writeShort(POINTER | known);
                return;
            }
            if (here - start <= POINTER_TARGET_MAX) {
                offsets.putIfAbsent(rest, here - start);
            }
            String label = name.labels().get(i);
            out.writeByte(label.length());
            out.writeCharSequence(label, StandardCharsets.ISO_8859_1);
        }
        out.writeByte(0);
    }

    private void writeData(RecordData data) {
        if (data instanceof Address address) {
            out.writeBytes(address.address().toBytes());
        } else if (data instanceof Target target) {
            writeName(target.name());
        } else if (data instanceof Location location) {
            writeLocation(location);
        } else if (data instanceof Text text) {
            out.writeByte(text.text().length());
            out.writeCharSequence(text.text(), StandardCharsets.ISO_8859_1);
        } else if (data instanceof Authority authority) {
            writeAuthority(authority);
        }
    }

    private void writeLocation(Location location) {
        out.writeShort(location.priority());
        out.writeShort(location.weight());
        out.writeShort(location.port());
        // RFC 2782 forbids a pointer here.
        writeName(location.target(), false);
    }

    private void writeAuthority(Authority authority) {
        writeName(authority.server());
        writeName(authority.mailbox());
        out.writeInt((int) authority.serial());
        out.writeInt(REFRESH_SECONDS);
        out.writeInt(RETRY_SECONDS);
        out.writeInt(EXPIRE_SECONDS);
        out.writeInt(authority.negativeTtl());
    }
}
