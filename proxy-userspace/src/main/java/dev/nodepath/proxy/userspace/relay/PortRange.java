package dev.nodepath.proxy.userspace.relay;

/**
 * A range of ports for the relay to listen on.
 *
 * @param first 1 to 65535
 * @param last {@code first} to 65535
 */
public record PortRange(int first, int last) {
    private static final int PORT_MAX = 65_535;

    public PortRange {
        if (first < 1 || last < first || last > PORT_MAX) {
            throw new IllegalArgumentException(
                    "port range: " + first + "-" + last + " (expected: first-last, 1 to " + PORT_MAX + ")");
        }
    }

    /**
     * Reads kube-proxy's forms: {@code first-last}, {@code first+count} or a single port.
     *
     * @throws IllegalArgumentException if it is none of them; the message holds the text
     */
    public static PortRange parse(String text) {
        if (!text.matches("\\d{1,5}([-+]\\d{1,5})?")) {
            throw new IllegalArgumentException("port range: \"" + text + "\" (expected: first-last or first+count)");
        }
        String[] parts = text.split("[-+]", -1);
        int first = Integer.parseInt(parts[0]);
        int second = parts.length == 1 ? first : Integer.parseInt(parts[1]);
        return new PortRange(first, text.contains("+") ? first + second : second);
    }

    /** The number of ports. */
    public int size() {
        return last - first + 1;
    }

    @Override
    public String toString() {
        return first + "-" + last;
    }
}
