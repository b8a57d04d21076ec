package dev.nodepath.cli;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.io.Descriptor;
import dev.nodepath.linux.io.ListeningSocket;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the live page listens.
 *
 * @param address of this machine
 * @param firstPort the first to try
 * @param lastPort the last to try
 */
record PageAddress(IpAddress address, int firstPort, int lastPort) {
    /** What {@code --page} means without a value: this machine alone, at the first free port. */
    static final String DEFAULT = "127.0.0.1";

    static final IpAddress LOOPBACK = IpAddress.parse(DEFAULT);

    private static final int FIRST_PORT = 7070;
    private static final int LAST_PORT = 7169;
    private static final int PORT_MAX = 65535;
    private static final String FORMS =
            "ADDRESS or ADDRESS:PORT with a port of 1 to 65535, such as 127.0.0.1:7070 or [::1]:7070";
    private static final Pattern FORM =
            Pattern.compile("(?:\\[(?<v6>[^]]+)]|(?<v4>[^:\\[\\]]+))(?::(?<port>[0-9]{1,5}))?");

    /**
     * Reads the value of the option.
     *
     * @param name of the option, for the error
     */
    static PageAddress parse(String name, String text) throws CommandException {
        Matcher parts = FORM.matcher(text);
        if (parts.matches()) {
            try {
                String v6 = parts.group("v6");
                IpAddress address = IpAddress.parse(v6 == null ? String.valueOf(parts.group("v4")) : v6);
                String port = parts.group("port");
                if (port == null) {
                    return new PageAddress(address, FIRST_PORT, LAST_PORT);
                }
                int number = Integer.parseInt(port);
                if (number >= 1 && number <= PORT_MAX) {
                    return new PageAddress(address, number, number);
                }
            } catch (IllegalArgumentException e) {
                throw wrong(name, text);
            }
        }
        throw wrong(name, text);
    }

    /**
     * Checks that the address can be used and a port is free, before the cluster is made.
     *
     * @param name of the option, for the error
     */
    void requireFree(String name) throws CommandException {
        for (int port = firstPort; port <= lastPort; port++) {
            try {
                Optional<Descriptor> socket = ListeningSocket.open(Syscalls.load(), address, port);
                if (socket.isPresent()) {
                    socket.get().close();
                    return;
                }
            } catch (LinuxNetException e) {
                throw CommandException.wrongUsage(List.of(name + ": " + e.getMessage()
                        + " (expected: an address of this machine, and a port that this user may open)"));
            }
        }
        String ports = firstPort == lastPort ? "port " + firstPort : "ports " + firstPort + " to " + lastPort;
        throw CommandException.wrongUsage(
                List.of(name + ": " + ports + " of " + address + ": taken (expected: a free one)"));
    }

    private static CommandException wrong(String name, String text) {
        return CommandException.wrongUsage(List.of(name + ": \"" + text + "\" (expected: " + FORMS + ")"));
    }
}
