package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.RuntimeCall.Answer;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A node of its own on the real kernel; this plugin or Debian's may wire its containers. */
final class SharedNode implements AutoCloseable {
    private static final KernelLinuxNet KERNEL = new KernelLinuxNet();

    private final String name;
    private final Invocation invocation;
    private final Set<String> namespaces = new LinkedHashSet<>();

    SharedNode(String name) throws Exception {
        this.name = name;
        make(name);
        this.invocation = NodeNet.invocation(KERNEL, NodeNet.of(KERNEL, name), LinkRemoval.immediate());
    }

    private void make(String namespace) throws LinuxNetException {
        if (namespaces.add(namespace)) {
            try (NetworkNamespace made = KERNEL.create(namespace)) {
                made.setUp(1, true);
            }
        }
    }

    /** The node's own namespace. */
    NetworkNamespace node() throws LinuxNetException {
        return KERNEL.openNamed(name);
    }

    /** A container's namespace, which is made if it is missing. */
    NetworkNamespace pod(String container) throws LinuxNetException {
        make(name + "-" + container);
        return KERNEL.openNamed(name + "-" + container);
    }

    /** Removes a container's namespace and makes an empty one at the same path. */
    void makeAgain(String container) throws LinuxNetException {
        KERNEL.delete(name + "-" + container);
        namespaces.remove(name + "-" + container);
        make(name + "-" + container);
    }

    /** Calls this plugin, in its own namespace, or in none if that is empty. */
    Answer ours(String command, String container, String config) throws Exception {
        return ours(environment(command, container), config);
    }

    /** Calls this plugin. */
    Answer ours(Map<String, String> environment, String config) {
        CallOutcome outcome =
                invocation.run(environment, new ByteArrayInputStream(config.getBytes(StandardCharsets.UTF_8)));
        return new Answer(outcome.exitCode(), outcome.stdout(), outcome.stderr());
    }

    /** Calls Debian's bridge plugin. */
    Answer debians(String command, String container, String config) throws Exception {
        return debians(environment(command, container), config);
    }

    /** Calls Debian's bridge plugin. */
    Answer debians(Map<String, String> environment, String config) throws Exception {
        List<String> line = List.of(
                "nsenter",
                "--net=" + KERNEL.path(name),
                KernelNode.DEBIAN.resolve("bridge").toString());
        return new RuntimeCall(line, environment).call(config);
    }

    /** A runtime's environment for either plugin. */
    Map<String, String> environment(String command, String container) throws LinuxNetException {
        pod(container).close();
        Map<String, String> environment = TestNode.environment(
                command, container, KERNEL.path(name + "-" + container).toString());
        environment.put("CNI_PATH", KernelNode.DEBIAN.toString());
        environment.put("PATH", System.getenv("PATH"));
        return environment;
    }

    /** The output of a program in the node's namespace, which must succeed. */
    String run(String... command) throws Exception {
        try (NetworkNamespace node = node()) {
            return node.call(() -> {
                Process process =
                        new ProcessBuilder(command).redirectErrorStream(true).start();
                String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(process.waitFor())
                        .as(String.join(" ", command) + ": " + output)
                        .isZero();
                return output;
            });
        }
    }

    /** The answer of a call that has to succeed. */
    static Answer succeeded(Answer answer) {
        assertThat(answer.exitCode()).as(answer.toString()).isZero();
        return answer;
    }

    @Override
    public void close() throws LinuxNetException {
        for (String namespace : namespaces) {
            KERNEL.delete(namespace);
        }
    }
}
