package dev.nodepath.bench.testbed;

import dev.nodepath.bench.suite.Peers;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.linux.BuiltNodepath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

/** Programs and settings for tests: {@code nodepath} as it was built, one short round. */
public final class TestPrograms {
    /** It prints kube-proxy's version text, and accepts no option that only kube-proxy has. */
    private static final String STAND_IN = """
            [ "$1" != --version ] || { echo Kubernetes v1.36.1; exit; }
            [ "$1" != --help ] || { echo "--proxy-mode: 'userspace'"; exit; }
            for option; do
              shift
              [ "$option" = --feature-gates=EndpointSliceProxying=false ] || set -- "$@" "$option"
            done
            """;

    private TestPrograms() {}

    /** The beginning of a nodepath command line. */
    public static List<String> nodepath() throws IOException {
        return BuiltNodepath.command(List.of());
    }

    /** Without a kube-proxy. */
    public static Programs programs() throws IOException {
        return new Programs(nodepath(), Optional.empty());
    }

    /** There is no kube-proxy to test with: it takes the same options, so Nodepath stands in for one with all modes. */
    public static Path kubeProxyStandIn(Path folder) throws IOException {
        return kubeProxy(folder, STAND_IN + "exec '" + String.join("' '", nodepath()) + "' proxy \"$@\"");
    }

    /** A kube-proxy that is these lines of a shell. */
    public static Path kubeProxy(Path folder, String lines) throws IOException {
        Path script = Files.writeString(folder.resolve("kube-proxy"), "#!/bin/sh\n" + lines + "\n");
        return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** One round beside these peers. */
    public static SuiteSettings oneRound(String peers) {
        return new SuiteSettings(1, true, Peers.parse(peers), Optional.empty(), line -> {}, result -> {});
    }
}
