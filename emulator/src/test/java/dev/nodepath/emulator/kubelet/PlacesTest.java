package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.resource.ObjectKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlacesTest {
    private static final ObjectKey POD = new ObjectKey("default", "db-0");

    @TempDir
    private Path folder;

    @Test
    void thePlacesOfANewPodOutliveThoseOfItsPredecessor() throws IOException {
        Places places = new Places(folder);
        Path old = folder.resolve("pods").resolve("1");
        Path young = folder.resolve("pods").resolve("2");
        places.addPod(POD, List.of("main", "gone"), old);
        places.addPod(POD, List.of("main"), young);
        places.removePod(POD, old);
        assertThat(places.firstContainer("db-0")).contains("main");
        assertThat(Files.readSymbolicLink(
                        places.find("db-0", Optional.of("main")).orElseThrow()))
                .isEqualTo(young.resolve("main").resolve("enter"));
        assertThat(places.find("db-0", Optional.of("gone"))).isEmpty();
        places.removePod(POD, young);
        assertThat(places.find("db-0", Optional.of("main"))).isEmpty();
        assertThat(folder.resolve("places/pods/default/db-0")).doesNotExist();
    }
}
