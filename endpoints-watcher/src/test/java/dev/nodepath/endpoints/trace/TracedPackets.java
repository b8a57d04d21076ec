package dev.nodepath.endpoints.trace;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
import java.util.Locale;

/** Packets of tests in few words. */
public final class TracedPackets {
    private TracedPackets() {}

    /** Reads {@code SOURCE -> DESTINATION:PORT[/PROTOCOL]}; an IPv6 destination is in brackets. */
    public static TracedPacket of(String flow) {
        return of(flow, "");
    }

    /** The same, received through a link. */
    public static TracedPacket of(String flow, String link) {
        String[] ends = flow.split(" -> ", -1);
        String[] to = ends[1].split("/", -1);
        int colon = to[0].lastIndexOf(':');
        String address = to[0].substring(0, colon).replace("[", "").replace("]", "");
        return new TracedPacket(
                IpAddress.parse(ends[0]),
                to.length == 1 ? Protocol.TCP : Protocol.valueOf(to[1].toUpperCase(Locale.ROOT)),
                IpAddress.parse(address),
                Integer.parseInt(to[0].substring(colon + 1)),
                link);
    }
}
