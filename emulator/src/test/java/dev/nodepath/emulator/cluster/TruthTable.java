package dev.nodepath.emulator.cluster;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which Pods reach which others: all reach all, except as in {@code no * > x/a, but x/b > x/a}. Each part has clients
 * and servers: {@code *} is all Pods, {@code x} the Pods of a namespace, {@code x/a} one Pod. The later of two parts
 * counts. A Pod reaches itself, unless a part names it as client and server. (Kubernetes' own tests do not look at
 * that.)
 *
 * @param reached the pairs {@code client > server}
 * @param refused the other pairs
 */
record TruthTable(Set<String> reached, Set<String> refused) {
    static final String ALL = "";

    /** Reads the words. */
    static TruthTable of(List<String> pods, String words) {
        Set<String> reached = new TreeSet<>();
        Set<String> refused = new TreeSet<>();
        for (String client : pods) {
            for (String server : pods) {
                boolean reaches = reaches(client, server, words);
                (reaches ? reached : refused).add(cell(client, server));
            }
        }
        return new TruthTable(reached, refused);
    }

    /** The pair of two Pods. */
    static String cell(String client, String server) {
        return client + " > " + server;
    }

    private static boolean reaches(String client, String server, String words) {
        boolean reaches = true;
        for (String part : words.isEmpty() ? List.<String>of() : List.of(words.split(", ", -1))) {
            List<String> word = List.of(part.split(" ", -1));
            if (word.size() != 4
                    || !Set.of("no", "but").contains(word.get(0))
                    || !word.get(2).equals(">")) {
                throw new IllegalArgumentException(part + " (expected: no|but CLIENTS > SERVERS)");
            }
            boolean isNamed = client.equals(word.get(1)) && server.equals(word.get(3));
            boolean concerns = isOneOf(client, word.get(1)) && isOneOf(server, word.get(3));
            if (isNamed || (concerns && !client.equals(server))) {
                reaches = word.get(0).equals("but");
            }
        }
        return reaches;
    }

    private static boolean isOneOf(String pod, String pods) {
        return pods.equals("*") || pod.equals(pods) || pod.startsWith(pods + "/");
    }

    /**
     * The differences from the table; empty if there are none. A look ends when a refused Pod answers, so answers of
     * other Pods may come later.
     */
    Set<String> differences(Set<String> answered) {
        Set<String> entered = new TreeSet<>();
        refused.stream().filter(answered::contains).forEach(cell -> entered.add("answered: " + cell));
        Set<String> missing = new TreeSet<>();
        reached.stream().filter(cell -> !answered.contains(cell)).forEach(cell -> missing.add("no answer: " + cell));
        return entered.isEmpty() ? missing : entered;
    }
}
