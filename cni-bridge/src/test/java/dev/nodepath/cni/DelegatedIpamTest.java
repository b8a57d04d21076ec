package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Address management by another program, which the tests write as shell scripts. */
class DelegatedIpamTest {
    private static final String RESULT = "{\"cniVersion\":\"1.0.0\",\"ips\":[{\"address\":\"10.5.0.7/24\"}],"
            + "\"routes\":[{\"dst\":\"10.6.0.0/16\"}],\"dns\":{\"domain\":\"d\"}}";

    @TempDir
    Path directory;

    private TestNode node = new TestNode(Path.of(""));
    private Path log = Path.of("");

    @BeforeEach
    void newNode() throws Exception {
        node = new TestNode(directory);
        log = directory.resolve("log");
        assertThat(node.pod("pod")).isEqualTo("/run/netns/pod");
    }

    @Test
    void givesTheOtherPluginTheWholeCallAndUsesItsResult() throws Exception {
        plugin("echo a warning >&2; printf '%s' '" + RESULT + "'");
        String mappings = "{\"portMappings\":[{\"hostPort\":8080,\"containerPort\":80}]}";
        CallOutcome outcome = call("ADD", "\"isDefaultGateway\":true,\"runtimeConfig\":" + mappings);
        assertThat(outcome.exitCode()).as(outcome.stdout()).isZero();
        assertThat(outcome.stderr()).isEqualTo("a warning\n");
        assertThat(outcome.stdout())
                .contains("\"ips\":[{\"interface\":2,\"address\":\"10.5.0.7/24\",\"gateway\":\"10.5.0.1\"}]")
                .contains("\"routes\":[{\"dst\":\"10.6.0.0/16\"},{\"dst\":\"0.0.0.0/0\",\"gw\":\"10.5.0.1\"}]")
                .contains("\"dns\":{\"domain\":\"d\"}");
        assertThat(calls())
                .singleElement()
                .asString()
                .startsWith("ADD dummy eth0 {\"cniVersion\"")
                .contains("portMappings");
        try (NetworkNamespace host = node.net.current()) {
            assertThat(node.addressesOf(host, "bridge0")).containsExactly("10.5.0.1/24");
        }
        assertThat(call("DEL", "").exitCode()).isZero();
        assertThat(calls()).hasSize(2).last().asString().startsWith("DEL dummy");
        assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
    }

    @Test
    void passesOnARefusalAndTakesTheAddressBack() throws Exception {
        plugin("printf '{\"code\":123,\"msg\":\"no lease\",\"details\":\"d\"}'; exit 1");
        assertThat(call("ADD", "").stdout())
                .isEqualTo("{\"cniVersion\":\"1.0.0\",\"code\":123,\"msg\":\"no lease\",\"details\":\"d\"}\n");
        assertThat(calls()).hasSize(2).last().asString().startsWith("DEL dummy");
        assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
    }

    @Test
    void takesTheAddressBackWhenALaterStepFails() throws Exception {
        plugin("printf '%s' '" + RESULT.replace("10.6.0.0/16", "10.6.0.0/16\",\"gw\":\"9.9.9.9") + "'");
        assertThat(call("ADD", "").stdout()).contains("ENETUNREACH");
        assertThat(calls()).hasSize(2).last().asString().startsWith("DEL dummy");
        assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
    }

    @Test
    void leavesNoAddressThatNobodyHoldsWhenAnAddMadeAgainFails() throws Exception {
        plugin("printf '%s' '" + RESULT + "'");
        assertThat(call("ADD", "").exitCode()).isZero();
        plugin("[ $CNI_COMMAND = DEL ] || { printf '{\"code\":123,\"msg\":\"no lease\"}'; exit 1; }");
        assertThat(call("ADD", "").stdout()).contains("no lease");
        try (NetworkNamespace pod = node.net.openNamed("pod")) {
            assertThat(node.addressesOf(pod, "eth0")).isEmpty();
        }
    }

    @Test
    void anAddTakesBackWhatHostLocalGaveAndADelTellsWhatThePluginRefuses() throws Exception {
        plugin("[ $CNI_COMMAND = DEL ] || printf '%s' '" + RESULT + "'");
        String before = node.config(
                "1.0.0", "\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"DATADIR\",\"subnet\":\"10.1.2.0/24\"}");
        assertThat(node.call(before, environment("ADD")).exitCode()).isZero();
        assertThat(directory.resolve(TestNode.NETWORK).resolve("10.1.2.2")).exists();
        assertThat(call("ADD", "").stdout()).contains("10.5.0.7/24");
        assertThat(directory.resolve(TestNode.NETWORK).resolve("10.1.2.2")).doesNotExist();
        plugin("printf '{\"code\":11,\"msg\":\"busy\"}'; exit 1");
        assertThat(call("DEL", "").stdout()).contains("\"code\":11,\"msg\":\"busy\"");
    }

    @Test
    void asksToTryAgainWhenTheBridgeGoesInTheMeantime() throws Exception {
        Path go = directory.resolve("go");
        plugin("while [ ! -e " + go + " ]; do sleep 0.02; done; printf '%s' '" + RESULT + "'");
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<CallOutcome> adding = thread.submit(() -> call("ADD", "\"isGateway\":true"));
            Eventually.isTrue("the IPAM plugin runs", () -> Files.exists(log));
            try (NetworkNamespace host = node.net.current()) {
                host.deleteLink(host.link("bridge0").orElseThrow().index());
            }
            Files.createFile(go);
            assertThat(adding.get().stdout())
                    .contains("\"code\":11,\"msg\":\"bridge: \\\"bridge0\\\" was removed meanwhile");
            assertThat(calls()).hasSize(2).last().asString().startsWith("DEL dummy");
            assertThat(node.hostLinks()).containsExactly("lo");
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void doesNotWaitForWhatAPluginLeavesBehind() throws Exception {
        plugin("sleep 5000 & echo $! >>" + directory + "/left; printf '%s' '" + RESULT + "'");
        assertThat(call("ADD", "").stdout()).contains("10.5.0.7/24");
        assertThat(call("DEL", "").exitCode()).isZero();
        for (String process : Files.readAllLines(directory.resolve("left"))) {
            assertThat(ProcessHandle.of(Long.parseLong(process)).orElseThrow().destroy())
                    .isTrue();
        }
    }

    @Test
    void takesTheLinkAwayAlsoWhereThePluginIsGone() throws Exception {
        plugin("printf '%s' '" + RESULT + "'");
        assertThat(call("ADD", "").exitCode()).isZero();
        Files.delete(directory.resolve("other"));
        assertThat(call("DEL", "").stdout())
                .contains("\"code\":7,\"msg\":\"ipam.type: \\\"other\\\" (expected: host-local");
        assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
    }

    @Test
    void refusesAnswersThatAreNone() throws Exception {
        for (String answer : List.of("", "[]", "{}", "{\"ips\":[{\"address\":\"x\"}]}")) {
            plugin("printf '%s' '" + answer + "'");
            CallOutcome outcome = call("ADD", "");
            assertThat(outcome.exitCode()).as(answer).isEqualTo(1);
            assertThat(outcome.stdout()).contains("\"code\":");
        }
        plugin("exit 3");
        assertThat(call("ADD", "").stdout())
                .contains("\"code\":999,\"msg\":\"" + directory + "/other ADD: exit code 3\"");
        plugin("kill -9 $$");
        assertThat(call("ADD", "").stdout()).contains("exit code 137");
        assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
    }

    @Test
    void asksOlderPluginsForNothingNew() throws Exception {
        plugin("printf '{\"code\":4,\"msg\":\"unknown CNI_COMMAND: STATUS\"}'; exit 1");
        String config = node.config("1.1.0", "\"ipam\":{\"type\":\"other\"},\"cni.dev/valid-attachments\":[]");
        for (String command : List.of("STATUS", "GC")) {
            assertThat(node.call(config, environment(command))).isEqualTo(new CallOutcome(0, "", ""));
        }
        plugin("printf '{\"code\":50,\"msg\":\"no server\"}'; exit 1");
        assertThat(node.call(config, environment("STATUS")).stdout()).contains("\"code\":50,\"msg\":\"no server\"");
        assertThat(node.call(config, environment("GC")).stdout()).contains("\"code\":999,\"msg\":\"no server\"");
    }

    @Test
    void saysWhereItLookedForAPlugin() {
        for (String type : List.of("none-such", "../other", "log")) {
            String config = node.config("1.0.0", "\"ipam\":{\"type\":\"" + type + "\"}");
            assertThat(node.call(config, environment("ADD")).stdout())
                    .contains("\"code\":7,\"msg\":\"ipam.type: \\\"" + type + "\\\" (expected: host-local, or a plugin")
                    .contains(directory.toString());
        }
    }

    private CallOutcome call(String command, String members) {
        String all = "\"ipam\":{\"type\":\"other\"}" + (members.isEmpty() ? "" : "," + members);
        return node.call(node.config("1.0.0", all), environment(command));
    }

    private Map<String, String> environment(String command) {
        Map<String, String> environment = TestNode.environment(command, "dummy", "/run/netns/pod");
        environment.put("CNI_PATH", "/nowhere::" + directory);
        environment.put("PATH", "/usr/bin:/bin");
        return environment;
    }

    private List<String> calls() throws IOException {
        return Files.readAllLines(log);
    }

    /** Writes a plugin that keeps a line of each call, and then does this. */
    private void plugin(String script) throws IOException {
        Path file = directory.resolve("other");
        Files.writeString(
                file,
                "#!/bin/sh\necho \"$CNI_COMMAND $CNI_CONTAINERID $CNI_IFNAME $(cat)\" >>" + log + "\n" + script + "\n");
        assertThat(Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x")))
                .exists();
    }
}
