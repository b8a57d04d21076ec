package dev.nodepath.bench.testbed;

import dev.nodepath.bench.Peers;
import dev.nodepath.bench.SuiteSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Programs and settings for tests: {@code nodepath} from the class path of the tests, one short round. */
public final class TestPrograms {
    private TestPrograms() {}

    /** The beginning of a nodepath command line. */
    public static List<String> nodepath() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "dev.nodepath.agent.Nodepath");
    }

    /** Without a kube-proxy. */
    public static Programs programs() {
        return new Programs(nodepath(), Optional.empty());
    }

    /** One round beside these peers. */
    public static SuiteSettings oneRound(String peers) {
        return new SuiteSettings(1, true, Peers.parse(peers), Optional.empty(), line -> {}, result -> {});
    }
}
