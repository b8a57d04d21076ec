package dev.nodepath.apiserver.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The committed fields are those of fabric8's models. With {@code -Dnodepath.schema.write=true} (in {@code
 * NODEPATH_TEST_JVM} of scripts/junit) it writes the file anew.
 */
class SchemaFileTest {
    private static final Path FILE = Path.of("src/main/resources/dev/nodepath/apiserver/schema/types.txt");

    @Test
    void hasTheFieldsOfTheModels() throws IOException {
        String models = ModelSchema.text();
        if (Boolean.getBoolean("nodepath.schema.write")) {
            Files.writeString(FILE, models, UTF_8);
        }
        assertThat(Files.readString(FILE, UTF_8)).isEqualTo(models);
    }
}
