package dev.nodepath.controllers.endpoints;

import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** The addresses of load balancers: 254 of each family, apart from those of nodes, Pods and Services. */
public enum BalancerRange {
    IPV4("198.18.0."),
    IPV6("fd98::");

    private static final int LAST = 254;
    private static final int HEX = 16;

    private final String prefix;

    BalancerRange(String prefix) {
        this.prefix = prefix;
    }

    static BalancerRange of(String family) {
        return family.equals("IPv6") ? IPV6 : IPV4;
    }

    /** Whether an address, in its usual form, is in one of the ranges. */
    public static boolean contains(String address) {
        return IPV4.has(address) || IPV6.has(address);
    }

    boolean has(String address) {
        return IntStream.rangeClosed(1, LAST).anyMatch(number -> address(number).equals(address));
    }

    /** The first free address. */
    Optional<String> free(Set<String> taken) {
        return IntStream.rangeClosed(1, LAST)
                .mapToObj(this::address)
                .filter(each -> !taken.contains(each))
                .findFirst();
    }

    private String address(int number) {
        return prefix + Integer.toString(number, this == IPV6 ? HEX : 10);
    }
}
