package dev.nodepath.linux.iptables;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The folders in which programs are searched, in this order. */
record ProgramPath(List<Path> directories) {
    /** Debian's folders of programs for root. An ordinary user's PATH does not name them. */
    private static final List<String> SYSTEM = List.of("/usr/sbin", "/sbin");

    /** The PATH of this process, then the system's directories. */
    static ProgramPath ofProcess() {
        String path = System.getenv().getOrDefault("PATH", "");
        return new ProgramPath(Stream.concat(Arrays.stream(path.split(":", -1)), SYSTEM.stream())
                .filter(directory -> !directory.isEmpty())
                .map(Path::of)
                .toList());
    }

    Optional<Path> find(String program) {
        return directories.stream()
                .map(directory -> directory.resolve(program))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
