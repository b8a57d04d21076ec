package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.CniVariable;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.cni.protocol.JsonParsing;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Configurations and environments broken at random: the answer is always a result or one error object with nothing
 * left.
 */
class MutationTest {
    private static final int ROUNDS_PER_FOLDER = 100;
    private static final long SEED = Long.getLong("nodepath.seed", 20261120L);

    private static final List<String> MEMBERS = List.of(
            "\"isDefaultGateway\":true,\"mtu\":1400,\"hairpinMode\":true,\"ipam\":{\"type\":\"host-local\","
                    + "\"dataDir\":\"DATADIR\",\"subnet\":\"10.1.2.0/24\",\"rangeStart\":\"10.1.2.10\","
                    + "\"rangeEnd\":\"10.1.2.20\",\"gateway\":\"10.1.2.1\"}",
            "\"isGateway\":true,\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"DATADIR\",\"ranges\":["
                    + "[{\"subnet\":\"10.1.2.0/24\"},{\"subnet\":\"10.2.0.0/16\"}],[{\"subnet\":\"2001:db8::/64\"}]],"
                    + "\"routes\":[{\"dst\":\"0.0.0.0/0\"},{\"dst\":\"::/0\",\"gw\":\"2001:db8::1\"}]}",
            "\"ipam\":{},\"dns\":{\"nameservers\":[\"10.96.0.10\"],\"domain\":\"local\",\"search\":[\"a\"]}",
            "\"runtimeConfig\":{\"portMappings\":[{\"HostPort\":80}]},\"prevResult\":{\"ips\":[]},\"vlan\":0",
            "\"ipMasq\":true,\"macspoofchk\":true,\"ipspoofchk\":true,\"isGateway\":true,"
                    + "\"forceAddress\":true,\"portIsolation\":true,"
                    + "\"runtimeConfig\":{\"mac\":\"02:00:00:00:00:09\",\"ips\":[\"10.1.2.9\"],"
                    + "\"ipRanges\":[[{\"subnet\":\"10.1.2.0/24\"}]]},"
                    + "\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"DATADIR\"}",
            "\"vlan\":100,\"vlanTrunk\":[{\"id\":5},{\"minID\":7,\"maxID\":9}],\"preserveDefaultVlan\":true,"
                    + "\"promiscMode\":true,\"enabledad\":false,\"disableContainerInterface\":true",
            "\"cni.dev/valid-attachments\":[{\"containerID\":\"dummy\",\"ifname\":\"eth0\"}],"
                    + "\"args\":{\"cni\":{\"mac\":\"02:00:00:00:00:09\",\"ips\":[]}},"
                    + "\"prevResult\":{\"cniVersion\":\"1.0.0\",\"interfaces\":[{\"name\":\"bridge0\",\"mac\":"
                    + "\"02:00:00:00:00:01\"},{\"name\":\"eth0\",\"mtu\":1500,\"sandbox\":\"/run/netns/pod\"}],"
                    + "\"ips\":[{\"interface\":1,\"address\":\"10.1.2.3/24\",\"gateway\":\"10.1.2.1\"}],"
                    + "\"routes\":[{\"dst\":\"0.0.0.0/0\",\"gw\":\"10.1.2.1\",\"mtu\":1400,\"table\":7}],"
                    + "\"dns\":{\"search\":[\"a\"]}}",
            "\"prevResult\":{\"ip4\":{\"ip\":\"10.1.2.3/24\",\"gateway\":\"10.1.2.1\",\"routes\":[]},"
                    + "\"ip6\":{\"ip\":\"fd00::3/64\"}}");
    private static final List<String> COMMANDS = List.of("ADD", "ADD", "ADD", "ADD", "DEL", "CHECK", "GC", "STATUS");
    private static final List<String> VERSIONS = List.of("0.1.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0");
    private static final List<String> ODD_TEXTS = List.of(
            "",
            "x",
            "..",
            "../..",
            "/",
            "/proc/nope",
            "a b",
            "\0",
            "\u00e9\u00df",
            "lo",
            "ADD",
            "DEL",
            "CHECK",
            "VERSION",
            "9".repeat(300),
            "K=V",
            "IgnoreUnknown=1;K=V",
            "/run/netns/pod",
            "/run/netns/none",
            "/proc/self/ns/net");
    private static final List<String> ODD_VALUES = List.of(
            "null",
            "true",
            "0",
            "-1",
            "1e400",
            "99999999999999999999",
            "\"\"",
            "\"x\"",
            "{}",
            "[]",
            "[[]]",
            "[null]",
            "{\"a\":{\"b\":[1]}}",
            "\"10.1.2.3\"",
            "\"10.1.2.0/33\"",
            "\"::/0\"",
            "\"0.0.0.0/0\"",
            "\"/proc/nope\"",
            "\"" + "z".repeat(300) + "\"",
            "\"\\u0000\"",
            "\"\\ud800\"");

    /** In memory if there is such a file system: a sync of every address file takes longer than all other work. */
    @TempDir(factory = InMemory.class)
    Path dataDir;

    static final class InMemory implements TempDirFactory {
        @Override
        public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension)
                throws IOException {
            Path memory = Path.of("/dev/shm");
            return Files.isWritable(memory)
                    ? Files.createTempDirectory(memory, "nodepath")
                    : Files.createTempDirectory("nodepath");
        }
    }

    @Test
    void answersEveryBrokenCallWithAResultOrAnError() throws Exception {
        breakCalls(SEED, 20_000);
    }

    @Test
    @Tag("faults")
    void answersAHundredThousandBrokenCallsWithAResultOrAnError() throws Exception {
        breakCalls(SEED + 20_000, Repetitions.of(20_000, 100_000));
    }

    private void breakCalls(long seed, int rounds) throws Exception {
        int succeeded = 0;
        for (int round = 0; round < rounds; round++) {
            Random random = new Random(seed + round);
            // Folders of networks with broken names stay, and are searched in each round.
            Path folder = Files.createDirectories(dataDir.resolve(String.valueOf(round / ROUNDS_PER_FOLDER)));
            TestNode node = new TestNode(folder);
            String netns = node.pod("pod");
            String template = node.config(pick(random, VERSIONS), "MEMBERS").replace("MEMBERS", pick(random, MEMBERS));
            String config = mutated(random, template).replace("DATADIR", folder.toString());
            Map<String, String> environment = TestNode.environment(pick(random, COMMANDS), "dummy", netns);
            if (random.nextInt(3) == 0) {
                mutate(random, environment);
            }
            try {
                succeeded += check(node, config, environment) ? 1 : 0;
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + (seed + round) + ": " + environment + " " + config, e);
            }
        }
        assertThat(succeeded).as("of " + rounds + " calls").isBetween(rounds / 10, rounds * 9 / 10);
    }

    private boolean check(TestNode node, String config, Map<String, String> environment) throws Exception {
        String before = node.state("pod");
        CallOutcome outcome = node.call(config, environment);
        assertThat(node.net.openHandles()).isZero();
        assertThat(node.locks.areFree()).isTrue();
        boolean succeeded = outcome.exitCode() == 0;
        if (succeeded) {
            if (!outcome.stdout().isEmpty()) {
                assertThat(json(outcome.stdout()).string("cniVersion")).isPresent();
            }
            environment.put(
                    "CNI_COMMAND", environment.getOrDefault("CNI_COMMAND", "").isEmpty() ? "" : "DEL");
            node.call(config, environment);
        } else {
            JsonObject error = json(outcome.stdout());
            assertThat(outcome.exitCode()).isEqualTo(1);
            assertThat(error.integer("code").orElseThrow()).isPositive();
            assertThat(error.string("msg")).isPresent();
            assertThat(outcome.stdout()).doesNotContain("unexpected java", "Exception", "\tat ");
            assertThat(outcome.stderr()).isEmpty();
        }
        assertThat(node.state("pod")).isEqualTo(before);
        try (NetworkNamespace host = node.net.current()) {
            assertThat(host.links()).noneMatch(link -> link.kind().equals("veth"));
        }
        assertThat(node.net.nftState()).doesNotContain("dummy");
        assertThat(node.reserved()).isEmpty();
        return succeeded;
    }

    private static JsonObject json(String stdout) throws CniException {
        assertThat(stdout).endsWith("}\n");
        assertThat(stdout.indexOf('\n')).isEqualTo(stdout.length() - 1);
        return JsonParsing.object(stdout.getBytes(StandardCharsets.UTF_8));
    }

    private static String mutated(Random random, String text) {
        StringBuilder mutated = new StringBuilder(text);
        for (int i = 1 + random.nextInt(4); i > 0 && !mutated.isEmpty(); i--) {
            int at = random.nextInt(mutated.length());
            switch (random.nextInt(6)) {
                case 0 -> mutated.deleteCharAt(at);
                case 1 -> mutated.setCharAt(at, (char) random.nextInt(128));
                case 2 -> mutated.insert(at, (char) (' ' + random.nextInt(95)));
                case 3 -> mutated.setLength(random.nextInt(8) == 0 ? at : mutated.length());
                default -> replaceValue(random, mutated, at);
            }
        }
        return mutated.toString();
    }

    /** Replaces the next value by an odd one: the text between a colon and a comma or brace. */
    private static void replaceValue(Random random, StringBuilder text, int from) {
        int colon = text.indexOf(":", from);
        if (colon >= 0) {
            int end = colon + 1;
            while (end < text.length() && ",}]".indexOf(text.charAt(end)) < 0) {
                end++;
            }
            text.replace(colon + 1, end, pick(random, ODD_VALUES));
        }
    }

    private static void mutate(Random random, Map<String, String> environment) {
        CniVariable variable = pick(random, List.of(CniVariable.values()));
        if (random.nextInt(3) == 0) {
            environment.remove(variable.name());
        } else {
            environment.put(variable.name(), pick(random, ODD_TEXTS));
        }
    }

    private static <T> T pick(Random random, List<T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
