package dev.nodepath.agent.containerd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A containerd with state, sockets and settings of its own. It runs in a mount namespace in which {@code /etc/cni},
 * {@code /opt/cni} and {@code /var/lib/cni}, whose paths containerd and its plugins have built in, are its own too.
 */
final class Containerd {
    static final String IMAGE = "nodepath.test/pause:1";
    static final Path ADDRESSES = Path.of("/run/test-ipam/pods");

    private static final int SECONDS_MAX = 300;
    private static final String FRAME = """
            mount -t tmpfs tmpfs /opt
            mount -t tmpfs tmpfs /var/lib
            mkdir -p /run/etc/upper /run/etc/work /opt/cni/bin
            mount -t overlay -o lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work overlay /etc
            rm -rf /etc/cni
            mkdir -p /etc/cni/net.d
            cp "$1/pods.conflist" /etc/cni/net.d/10-pods.conflist
            ln -s /usr/lib/cni/loopback /usr/lib/cni/portmap /opt/cni/bin
            ln -s "$1/plugin" /opt/cni/bin/nodepath-bridge
            echo framed
            exec sleep infinity
            """;

    private final Path directory;
    private final Path log;
    private final Process frame;
    private Process process;

    /** Starts one and gives it its image; the test's files are in this directory. */
    Containerd(Path directory) throws IOException, InterruptedException {
        this.directory = directory;
        this.log = directory.resolve("containerd.log");
        for (String name : List.of("config.toml", "pods.conflist", "pause.c", "plugin")) {
            try (InputStream in = Objects.requireNonNull(Containerd.class.getResourceAsStream(name))) {
                String text = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                        .replace("DIRECTORY", directory.toString())
                        .replace("HOME", Program.HOME.toString());
                Files.writeString(directory.resolve(name), text);
            }
        }
        assertThat(directory.resolve("plugin").toFile().setExecutable(true)).isTrue();
        Files.createDirectories(directory.resolve("faults"));
        this.frame = frame();
        this.process = start();
        Program.output("cc", "-static", "-o", file("pause"), file("pause.c"));
        PauseImage.write(directory, directory.resolve("pause.tar"), IMAGE);
        for (String namespace : List.of("k8s.io", "default")) {
            ctr("-n", namespace, "images", "import", "--snapshotter", "native", file("pause.tar"));
        }
    }

    Cri cri() {
        return new Cri(socket(), directory);
    }

    /** Runs ctr where containerd is. */
    String ctr(String... arguments) throws IOException, InterruptedException {
        Program.Output output = tryCtr(arguments);
        assertThat(output.exitCode()).as(output.text()).isZero();
        return output.text();
    }

    /** Starts ctr where containerd is. */
    Process startCtr(String... arguments) throws IOException {
        return new ProcessBuilder(ctrCommand(arguments))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** Ends containerd in order, and starts it again; sandboxes go on. */
    void restart() throws IOException, InterruptedException {
        process.destroy();
        assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        process = start();
    }

    /** Runs a program in containerd's mount namespace. */
    String inside(String... command) throws IOException, InterruptedException {
        return Program.output(entering(command).toArray(String[]::new));
    }

    /**
     * The next call of this command for this pod fails, or is killed after some milliseconds: see the script "plugin".
     */
    void arm(String pod, String command, String fault) throws IOException {
        Path whole = Files.writeString(directory.resolve(pod + "." + command), fault);
        Files.move(whole, directory.resolve("faults").resolve(pod + "." + command));
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    /** Ends it in order. */
    void stop() throws InterruptedException {
        process.destroy();
        assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        frame.destroyForcibly().waitFor();
    }

    /**
     * The mount namespace outlives a containerd, so that the next one finds the mounts of the namespaces of its
     * sandboxes.
     */
    private Process frame() throws IOException {
        Process started = new ProcessBuilder("unshare", "--mount", "sh", "-ec", FRAME, "frame", directory.toString())
                .redirectErrorStream(true)
                .start();
        assertThat(started.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("framed");
        return started;
    }

    private Process start() throws IOException {
        Process started = new ProcessBuilder(entering("containerd", "-c", file("config.toml")))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        Eventually.isTrue(this::log, () -> {
            assertThat(started.isAlive()).as(log()).isTrue();
            return tryCtr("version").exitCode() == 0;
        });
        return started;
    }

    private Program.Output tryCtr(String... arguments) throws IOException, InterruptedException {
        return Program.run(ctrCommand(arguments));
    }

    private List<String> ctrCommand(String... arguments) {
        List<String> command = new ArrayList<>(entering("ctr", "-a", socket().toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    private List<String> entering(String... command) {
        List<String> all = new ArrayList<>(List.of("nsenter", "--mount=/proc/" + frame.pid() + "/ns/mnt"));
        all.addAll(List.of(command));
        return all;
    }

    private Path socket() {
        return directory.resolve("containerd.sock");
    }

    private String file(String name) {
        return directory.resolve(name).toString();
    }
}
