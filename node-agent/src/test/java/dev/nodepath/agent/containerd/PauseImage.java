package dev.nodepath.agent.containerd;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Writes an image of one static program as an archive that {@code ctr images import} takes. */
final class PauseImage {
    private PauseImage() {}

    /** Packs the program "pause" of a folder. */
    static void write(Path folder, Path archive, String tag) throws IOException, InterruptedException {
        Path directory = Files.createDirectories(folder.resolve("image"));
        Path layer = directory.resolve("layer.tar");
        Program.output("tar", "-cf", layer.toString(), "-C", folder.toString(), "pause");
        Files.writeString(directory.resolve("config.json"), """
                {"architecture":"%s","os":"linux","config":{"Cmd":["/pause"]},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}
                """.formatted(
                        System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64",
                        digest(Files.readAllBytes(layer))));
        Files.writeString(
                directory.resolve("manifest.json"),
                "[{\"Config\":\"config.json\",\"RepoTags\":[\"" + tag + "\"],\"Layers\":[\"layer.tar\"]}]",
                StandardCharsets.UTF_8);
        Program.output(
                "tar",
                "-cf",
                archive.toString(),
                "-C",
                directory.toString(),
                "manifest.json",
                "config.json",
                "layer.tar");
    }

    private static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
