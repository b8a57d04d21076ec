package dev.nodepath.emulator.walk;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;

/**
 * The destination of a packet.
 *
 * @param what the destination for people, such as {@code Service default/web}
 */
public record WalkTarget(String what, IpAddress address, int port, Protocol protocol) {
    @Override
    public String toString() {
        return address.withPort(port);
    }
}
