package dev.nodepath.agent.install;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The node's plugin for host ports; it is in upstream's distribution and on every kind node. */
final class Portmap {
    private static final Logger LOG = LoggerFactory.getLogger(Portmap.class);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(5);

    /** The versions that every release of the last years supports. */
    private static final List<String> USUAL = List.of("0.3.0", "0.3.1", "0.4.0", "1.0.0");

    private final Path program;
    private final HostCommand commands;

    /** The portmap plugin in the node's folder of plugins. */
    Portmap(HostFolders folders) {
        this(folders, HostCommand.PROCESS);
    }

    Portmap(HostFolders folders, HostCommand commands) {
        this.program = folders.here(folders.bin()).resolve("portmap");
        this.commands = commands;
    }

    /** The versions it supports; the usual ones if it cannot run here; empty if it is missing. */
    Optional<List<String>> versions() throws InterruptedException {
        if (!Files.isExecutable(program)) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    parse(commands.run(List.of(program.toString()), Map.of("CNI_COMMAND", "VERSION"), ANSWER_MAX)));
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("program", program)
                    .addKeyValue("error", e.getMessage())
                    .addKeyValue("assumed", USUAL)
                    .log("install.portmap_version_unknown");
            return Optional.of(USUAL);
        }
    }

    private static List<String> parse(String answer) throws IOException {
        List<String> versions = new ArrayList<>();
        try (JsonParser json = new JsonFactory().createParser(answer)) {
            boolean inside = false;
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                if (token == JsonToken.START_ARRAY) {
                    inside = "supportedVersions".equals(json.currentName());
                } else if (token == JsonToken.END_ARRAY) {
                    inside = false;
                } else if (inside && token == JsonToken.VALUE_STRING) {
                    versions.add(json.getText());
                }
            }
        }
        if (versions.isEmpty()) {
            throw new IOException("supportedVersions: missing in its answer");
        }
        return List.copyOf(versions);
    }
}
