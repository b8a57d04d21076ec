package dev.nodepath.bench.testbed;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.OptionalInt;

/**
 * The address and ports of a contender.
 *
 * @param address IPv4, numeric
 * @param http port of the server's HTTP
 * @param bulk port of its iperf3
 * @param echo port of its UDP echo; empty for a contender without UDP
 */
public record ContenderAddress(String address, int http, int bulk, OptionalInt echo) {
    /** The address with a port, for a socket. */
    public InetSocketAddress to(int port) {
        return at(address, port);
    }

    /** A numeric address and a port. */
    public static InetSocketAddress at(String address, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(address), port);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(address + ": no address", e);
        }
    }
}
