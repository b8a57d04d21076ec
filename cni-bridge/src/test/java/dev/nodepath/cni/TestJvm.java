package dev.nodepath.cni;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How to run a class in a process of its own, with this JVM's class path and the launcher's options. */
public final class TestJvm {
    private TestJvm() {}

    /** The command line. */
    public static List<String> command(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Djnr.ffi.asm.enabled=false",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
