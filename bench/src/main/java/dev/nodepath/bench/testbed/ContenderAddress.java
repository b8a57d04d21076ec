package dev.nodepath.bench.testbed;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.OptionalInt;

/**
 * Where a client sends to, so that its traffic goes through a contender.
 *
 * @param address IPv4, numeric
 * @param http port that leads to the server's HTTP
 * @param bulk port that leads to its iperf3
 * @param echo port that leads to its echo of datagrams; empty for a contender that carries no UDP
 */
public record ContenderAddress(String address, int http, int bulk, OptionalInt echo) {
    /** As a socket takes it. */
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
