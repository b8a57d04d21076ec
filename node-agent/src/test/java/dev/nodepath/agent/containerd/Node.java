package dev.nodepath.agent.containerd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A node: containerd and the CNI server, in the namespaces of the test run. */
record Node(Containerd containerd, CniServerProcess server, KernelLinuxNet net) {
    static Node start(Path directory) throws IOException, InterruptedException {
        CniServerProcess server = new CniServerProcess(directory.resolve("cni-server.log"));
        Containerd containerd = new Containerd(directory);
        server.awaitReady();
        return new Node(containerd, server, new KernelLinuxNet());
    }

    /** The network namespace of a running container or sandbox. */
    NetworkNamespace namespaceOf(String namespace, String container) throws Exception {
        for (String line :
                containerd.ctr("-n", namespace, "tasks", "ls").lines().toList()) {
            if (line.startsWith(container)) {
                return net.open(Path.of("/proc/" + line.split(" +", -1)[1] + "/ns/net"));
            }
        }
        throw new IOException("no task of " + container);
    }

    /** Kills the server some time from now, and starts another. */
    void killServerAfter(int millis) throws IOException, InterruptedException {
        Program.output("sleep", "0.%03d".formatted(millis));
        server.killAndRestart();
    }

    /** The addresses that are given out. */
    List<String> addresses() throws IOException {
        if (!Files.exists(Containerd.ADDRESSES)) {
            return List.of();
        }
        try (var files = Files.list(Containerd.ADDRESSES)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("10."))
                    .toList();
        }
    }

    /** The owner of an address, from its file. */
    String ownerOf(String address) throws IOException {
        return Files.readString(Containerd.ADDRESSES.resolve(address));
    }

    void assertNothingIsLeft() throws Exception {
        assertThat(containerd.cri().list()).isEmpty();
        assertThat(addresses()).isEmpty();
        try (NetworkNamespace host = net.current()) {
            assertThat(host.links())
                    .extracting(link -> link.name())
                    .isSubsetOf("lo", "cni0", "sit0", "tunl0", "ip6tnl0");
        }
        assertThat(Program.output("iptables-save")).doesNotContain("CNI-DN-", "CNI-SN-");
        assertThat(containerd.inside("sh", "-c", "ls /var/lib/cni/results | grep -v cni-loopback || true"))
                .isBlank();
        assertThat(containerd.inside("sh", "-c", "ls /run/netns")).isBlank();
    }

    /** Ends it in order. */
    void stop() throws Exception {
        containerd.stop();
        server.stop();
        // The enclosure has no control groups of its own: the empty ones left by runc are the machine's.
        Program.output(
                "sh",
                "-c",
                "ip link del cni0; rm -rf /run/test-ipam; rmdir /sys/fs/cgroup/*/k8s.io /sys/fs/cgroup/*/default; true");
    }
}
