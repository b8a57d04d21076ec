package dev.nodepath.bench.testbed;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.emulator.enclosure.Installation;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The programs that run as processes.
 *
 * @param nodepath the beginning of a {@code nodepath} command line, such as the path of {@code scripts/nodepath}
 * @param kubeProxy the binary of {@code --kube-proxy}
 */
public record Programs(List<String> nodepath, Optional<KubeProxyBinary> kubeProxy) {
    public Programs {
        nodepath = List.copyOf(nodepath);
    }

    /** The installation of this process. */
    public static Programs installed(Optional<Path> kubeProxy) throws CommandException {
        return new Programs(
                List.of(Installation.scripts().resolve("nodepath").toString()), kubeProxy.map(KubeProxyBinary::new));
    }
}
