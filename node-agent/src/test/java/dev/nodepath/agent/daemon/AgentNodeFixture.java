package dev.nodepath.agent.daemon;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A node of its own for each test. */
abstract class AgentNodeFixture {
    @TempDir
    Path folder;

    @SuppressWarnings("NullAway.Init") // lives from @BeforeEach
    AgentNode node;

    @BeforeEach
    void create() throws Exception {
        node = new AgentNode(folder);
    }

    @AfterEach
    void close() throws Exception {
        node.close();
    }

    /** The agent's report about its parts. */
    String status() throws IOException {
        return node.get("10256/readyz");
    }
}
