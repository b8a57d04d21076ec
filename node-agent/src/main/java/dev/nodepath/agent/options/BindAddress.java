package dev.nodepath.agent.options;

import dev.nodepath.linux.address.IpAddress;
import java.net.InetSocketAddress;

/** Addresses to listen on as kube-proxy's options have them: {@code 0.0.0.0:10256}, {@code [::]:10249}. */
final class BindAddress {
    private static final String EXPECTED =
            "\" (expected: IP:PORT with a port of 0 to 65535, such as 0.0.0.0:10256 or [::]:10256)";

    private BindAddress() {}

    /**
     * Reads an address. Its port may be 0, which means no address at all, as in kube-proxy's {@code --healthz-port}.
     *
     * @param defaultPort if the text has none
     * @throws IllegalArgumentException if it is none
     */
    static InetSocketAddress parse(String text, int defaultPort) {
        int colon = text.lastIndexOf(':');
        boolean bracketed = text.startsWith("[");
        boolean hasPort = bracketed ? text.contains("]:") : colon >= 0 && text.indexOf(':') == colon;
        String host = hasPort ? text.substring(0, colon) : text;
        try {
            int port = hasPort ? Integer.parseInt(text.substring(colon + 1)) : defaultPort;
            IpAddress address = IpAddress.parse(bracketed ? host.substring(1, host.length() - 1) : host);
            if (port < 0 || port > 65535 || (bracketed && !host.endsWith("]"))) {
                throw new IllegalArgumentException("port " + port);
            }
            return new InetSocketAddress(address.toInetAddress(), port);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("\"" + text + EXPECTED, e);
        }
    }
}
