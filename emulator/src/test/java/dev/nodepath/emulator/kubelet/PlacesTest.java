package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.resource.ObjectKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
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

    @Test
    void namesPlacesWhilePodsComeAndGo() throws Exception {
        Places places = new Places(folder);
        places.addHost("n1", folder.resolve("n1"));
        places.addPod(new ObjectKey("other", "stays"), List.of("main"), folder);
        AtomicBoolean stop = new AtomicBoolean();
        Thread comesAndGoes = new Thread(() -> {
            while (!stop.get()) {
                try {
                    places.addPod(POD, List.of("main", "second"), folder);
                    places.removePod(POD, folder);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
        comesAndGoes.start();
        try {
            for (int i = 0; i < 2000; i++) {
                assertThat(places.names()).contains("n1", "other/stays");
            }
        } finally {
            stop.set(true);
            comesAndGoes.join();
        }
    }
}
