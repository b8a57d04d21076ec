package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectImageResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.testcontainers.DockerClientFactory;

/** The archive of {@code scripts/build-image}, loaded into the docker of the tests. */
final class Image {
    static final String NAME = "nodepath:" + Home.VERSION;

    private Image() {}

    /** Loads the image, unless it is loaded. */
    static InspectImageResponse load() throws IOException {
        assertThat(System.getenv("DOCKER_HOST"))
                .as("DOCKER_HOST; these tests are run by: scripts/test-part docker image")
                .isNotNull();
        DockerClient docker = DockerClientFactory.instance().client();
        if (docker.listImagesCmd().withFilter("reference", List.of(NAME)).exec().isEmpty()) {
            Path archive = Home.DIRECTORY.resolve("target/image/nodepath.tar");
            assertThat(archive).as("made by scripts/build-image").exists();
            try (InputStream in = Files.newInputStream(archive)) {
                docker.loadImageCmd(in).exec();
            }
        }
        return docker.inspectImageCmd(NAME).exec();
    }
}
