package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The task of a container with the image {@code agnhost}. Kubernetes' tests, tutorials and kind's examples use it as
 * client and server (kubernetes/test/images/agnhost). The built-in server stands in for agnhost's servers; a script in
 * the container stands in for its other programs.
 *
 * @param words after the program's name: a subcommand, its flags and arguments
 */
record Agnhost(List<String> words) {
    /** The script of this package that becomes the program in a container. */
    static final String SCRIPT = "agnhost";

    /** The program's place in its image. */
    static final String PROGRAM = "/" + SCRIPT;

    private static final int PORT_MAX = 65535;
    private static final Set<String> SCRIPTED = Set.of("pause", "connect");
    private static final List<String> NOT_SERVED =
            List.of("sctp-port", "tls-cert-file", "tls-private-key-file", "http-override", "udp-listen-addresses");
    private static final String NETEXEC = "netexec";
    private static final String SERVE_HOSTNAME = "serve-hostname";

    Agnhost {
        words = List.copyOf(words);
    }

    /** The task; empty for another image, and for another program in it. */
    static Optional<Agnhost> of(JsonNode container) {
        if (!hasProgram(container)) {
            return Optional.empty();
        }
        List<String> command = ProbeSpec.texts(container.path("command"));
        List<String> words = new ArrayList<>();
        if (!command.isEmpty()) {
            if (!command.get(0).equals(PROGRAM) && !command.get(0).equals(SCRIPT)) {
                return Optional.empty();
            }
            words.addAll(command.subList(1, command.size()));
        }
        words.addAll(ProbeSpec.texts(container.path("args")));
        return Optional.of(new Agnhost(words));
    }

    /** Whether the image is agnhost's, whatever its registry and tag. */
    static boolean hasProgram(JsonNode container) {
        return container.path("image").asText("").matches("(?:.*/)?agnhost(?:[:@].*)?");
    }

    /** The task with the container's variables in its words. */
    Agnhost expanded(Map<String, String> variables) {
        return new Agnhost(words.stream()
                .map(word -> PodEnvironment.expand(word, variables))
                .toList());
    }

    private String subcommand() {
        return words.isEmpty() ? "" : words.get(0);
    }

    /** Whether the built-in server does the task. */
    boolean serves() {
        return Set.of(NETEXEC, SERVE_HOSTNAME).contains(subcommand());
    }

    /** Whether the container's script does the task. */
    boolean isScripted() {
        return SCRIPTED.contains(subcommand());
    }

    boolean servesHostname() {
        return subcommand().equals(SERVE_HOSTNAME);
    }

    /** Throws if a flag asks for what the built-in server does not do. */
    void requireServed() throws StartException {
        Map<String, String> flags = flags();
        for (String flag : NOT_SERVED) {
            String value = flags.get(flag);
            if (value != null && !value.isEmpty() && !value.equals("-1")) {
                throw StartException.ofProgram("agnhost: --" + flag + ": \"" + value
                        + "\" (expected: none, as the built-in server speaks HTTP, TCP and UDP at all addresses)");
            }
        }
    }

    /** The port for HTTP; 0 for none. */
    int httpPort() throws StartException {
        if (!servesHostname()) {
            return port("http-port", 8080);
        }
        return isSet("http", true) && !isSet("tcp", false) ? hostnamePort() : 0;
    }

    /** The port that sends the name at once to each client; 0 for none. */
    int tcpPort() throws StartException {
        return servesHostname() && isSet("tcp", false) ? hostnamePort() : 0;
    }

    /** The port for datagrams; 0 for none. */
    int udpPort() throws StartException {
        if (!servesHostname()) {
            return port("udp-port", 8081);
        }
        return isSet("udp", false) ? hostnamePort() : 0;
    }

    private int hostnamePort() throws StartException {
        return port("port", 9376);
    }

    private int port(String flag, int otherwise) throws StartException {
        String value = flags().getOrDefault(flag, String.valueOf(otherwise));
        if (value.equals("-1")) {
            return 0;
        }
        if (!value.matches("[0-9]{1,5}") || Integer.parseInt(value) > PORT_MAX) {
            throw StartException.ofProgram(
                    "agnhost: --" + flag + ": \"" + value + "\" (expected: a port from 1 to " + PORT_MAX + ")");
        }
        return Integer.parseInt(value);
    }

    private boolean isSet(String flag, boolean otherwise) {
        String value = flags().get(flag);
        return value == null ? otherwise : !value.equals("false");
    }

    /** {@code --NAME=VALUE}, {@code --NAME VALUE} or {@code --NAME}. */
    private Map<String, String> flags() {
        Map<String, String> flags = new HashMap<>();
        for (int i = 1; i < words.size(); i++) {
            String word = words.get(i).replaceFirst("^--?", "");
            int value = word.indexOf('=');
            if (word.equals(words.get(i))) {
                continue;
            }
            boolean next =
                    value < 0 && i + 1 < words.size() && !words.get(i + 1).startsWith("-");
            flags.put(
                    value < 0 ? word : word.substring(0, value),
                    value >= 0 ? word.substring(value + 1) : next ? words.get(i + 1) : "true");
        }
        return flags;
    }
}
