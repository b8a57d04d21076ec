package dev.nodepath.emulator.kubelet;

import dev.nodepath.emulator.traffic.Greeting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Makes one try of a probe, or calls a lifecycle hook. Run it on a thread in the node's network namespace. */
final class Prober {
    private Prober() {}

    /**
     * Tries.
     *
     * @param pod the Pod's address
     * @param enter the script that enters the container
     */
    static boolean passes(ProbeSpec.Action action, InetAddress pod, Path enter, Duration timeout) {
        if (action instanceof ProbeSpec.HttpGet http) {
            int status = Greeting.status(new InetSocketAddress(pod, http.port()), "GET", http.path(), timeout);
            return status >= 200 && status < 400;
        }
        if (action instanceof ProbeSpec.TcpConnect tcp) {
            return accepts(new InetSocketAddress(pod, tcp.port()), timeout);
        }
        return ends(((ProbeSpec.Exec) action).command(), enter, timeout);
    }

    private static boolean accepts(InetSocketAddress target, Duration timeout) {
        try (Socket socket = new Socket()) {
            socket.connect(target, (int) timeout.toMillis());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean ends(List<String> command, Path enter, Duration timeout) {
        List<String> inside = new ArrayList<>(List.of(enter.toString()));
        inside.addAll(command);
        // Nobody reads them, and a full pipe would stop the command.
        ProcessBuilder builder = new ProcessBuilder(inside)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        try {
            return ShortCommand.run(builder, "", timeout).exitCode() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
