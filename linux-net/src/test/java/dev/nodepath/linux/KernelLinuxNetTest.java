package dev.nodepath.linux;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

@Tag("netns")
class KernelLinuxNetTest extends LinuxNetContract {
    private static final LinuxNet KERNEL = new KernelLinuxNet();
    private @Nullable Process process;

    @Override
    public LinuxNet net() {
        return KERNEL;
    }

    @Override
    public List<String> names() throws Exception {
        return NamespaceNames.all();
    }

    @Override
    public long processInNear() throws Exception {
        process = near().call(() -> new ProcessBuilder("sleep", "600").start());
        return process.pid();
    }

    @AfterEach
    void endProcess() throws InterruptedException {
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
    }
}
